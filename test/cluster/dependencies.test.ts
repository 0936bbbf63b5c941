import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jobs, tasks, workspaces } from "../../src/cluster/kube/resource.ts";
import { ClusterScene, noCluster, noNode } from "./scene.ts";

const report = (...outputs: string[]) =>
  `printf '%s' '${JSON.stringify({ coxswain: 1, outputs, sha256: "0" })}' > /dev/termination-log`;

describe.skipIf(noNode)("Tasks that depend on others", () => {
  let scene: ClusterScene;
  beforeAll(async () => {
    scene = await ClusterScene.open();
    await scene.operate();
  });
  afterAll(() => scene?.close());

  const promptOf = async (name: string) =>
    (await scene.client.get(jobs, scene.namespace, name)).spec.template.spec.containers[0]?.args?.[0];

  test("wait, start after success, and get results in their prompt, as plain text", async () => {
    await scene.task(
      "after",
      `echo {{ index .Deps "before" "Results" "branch" }} and {{ .Deps.before.Results.note }}`,
      { dependsOn: ["before"] },
    );
    const waiting = await scene.when("after", (task) => task.status?.phase === "Waiting");
    expect(waiting.status).toMatchObject({
      reason: "WaitingForDependencies",
      message: expect.stringContaining("before (does not exist yet)"),
    });
    await scene.task("before", report("branch: feature/x", 'note: {{ index .Deps "x" }} $(HOME) \\u001b'));
    expect((await scene.when("after")).status?.phase).toBe("Succeeded");
    const prompt = await promptOf("after");
    expect(prompt).toContain("echo feature/x and {{ index .Deps");
    // Kubernetes would put a variable in the place of $(HOME); doubled, it stays what it is.
    expect(prompt).toContain("$$(HOME)");
  });

  test("an unknown result or dependency is a failure before any Job", async () => {
    await scene.task("source", report("branch: b"));
    await scene.task("unknown-key", `{{ index .Deps "source" "Results" "nothing" }}`, { dependsOn: ["source"] });
    await scene.task("unknown-task", `{{ index .Deps "other" "Results" "branch" }}`, { dependsOn: ["source"] });
    await scene.task("no-template", `{{ if .Deps }}`, { dependsOn: ["source"] });
    for (const name of ["unknown-key", "unknown-task", "no-template"]) {
      const { status } = await scene.when(name);
      expect(status, name).toMatchObject({ phase: "Failed", reason: "TemplateFailed" });
      expect(status?.jobName).toBeUndefined();
    }
  });

  test("a failed dependency fails those that need it, and theirs, without a Job", async () => {
    await scene.task("c3", "true", { dependsOn: ["c2"] });
    await scene.task("c2", "true", { dependsOn: ["c1"] });
    await scene.task("c1", "exit 1");
    expect((await scene.when("c2")).status).toMatchObject({
      phase: "Failed",
      reason: "DependencyFailed",
      message: expect.stringContaining("c1"),
    });
    expect((await scene.when("c3")).status).toMatchObject({
      phase: "Failed",
      reason: "DependencyFailed",
      message: expect.stringContaining("c2"),
    });
  });

  test("one that was deleted is said, not waited for", async () => {
    await scene.task("gone", "sleep 300", { podOverrides: { terminationGracePeriodSeconds: 0 } });
    await scene.task("left", "true", { dependsOn: ["gone"] });
    await scene.when("left", (task) => task.status?.dependencies?.[0]?.name === "gone");
    await scene.client.delete(tasks, scene.namespace, "gone");
    expect((await scene.when("left")).status).toMatchObject({
      phase: "Failed",
      reason: "DependencyDeleted",
      message: expect.stringContaining("gone"),
    });
  });

  test("TTL waits for those that still need the results", async () => {
    await scene.task("kept", report("branch: b"), { ttlSecondsAfterFinished: 0 });
    await scene.task("slow", "sleep 4");
    await scene.task("needs-both", `echo {{ .Deps.kept.Results.branch }}`, { dependsOn: ["kept", "slow"] });
    expect((await scene.when("needs-both")).status?.phase).toBe("Succeeded");
    expect(await promptOf("needs-both")).toBe("echo b");
  });
});

describe.skipIf(noCluster)("dependencies without pods", () => {
  let scene: ClusterScene;
  beforeAll(async () => {
    scene = await ClusterScene.open();
    await scene.operate();
  });
  afterAll(() => scene?.close());

  test("a circle is found and its members named", async () => {
    await scene.task("a", "true", { dependsOn: ["b"] });
    await scene.task("b", "true", { dependsOn: ["c"] });
    await scene.task("c", "true", { dependsOn: ["a"] });
    const all = await Promise.all(["a", "b", "c"].map((name) => scene.when(name)));
    expect(all.map(({ status }) => status?.phase)).toEqual(["Failed", "Failed", "Failed"]);
    expect(all.some(({ status }) => status?.reason === "DependencyCycle" && status.message?.includes("a, b, c"))).toBe(
      true,
    );
    await scene.task("self", "true", { dependsOn: ["self"] });
    expect((await scene.when("self")).status?.reason).toBe("DependencyCycle");
  });

  test("a ladder of diamonds is no circle, and takes no time", async () => {
    await scene.task("d0", "true", { dependsOn: ["never"] });
    for (let step = 0; step < 30; step += 1) {
      await scene.task(`l${step}`, "true", { dependsOn: [step === 0 ? "d0" : `d${step}`] });
      await scene.task(`r${step}`, "true", { dependsOn: [step === 0 ? "d0" : `d${step}`] });
      await scene.task(`d${step + 1}`, "true", { dependsOn: [`l${step}`, `r${step}`] });
    }
    const { status } = await scene.when("d30", (task) => task.status?.phase !== undefined, 10_000);
    expect(status?.phase).toBe("Waiting");
  });
});

describe.skipIf(noNode)("Tasks on one branch", () => {
  let scene: ClusterScene;
  beforeAll(async () => {
    scene = await ClusterScene.open();
    await scene.operate();
    // Never cloned: the pods fail at once or wait for their image, which is all the same to the lock.
    await scene.make(workspaces, "ws", { spec: { repo: "https://127.0.0.1:1/none.git", depth: 1 } });
    await scene.make(workspaces, "other", { spec: { repo: "https://127.0.0.1:1/none.git", depth: 1 } });
  });
  afterAll(() => scene?.close());
  const on = (workspace: string, branch: string) => ({ workspaceRef: { name: workspace }, branch });

  test("take turns in the order they were created, and other workspaces don't wait", async () => {
    await scene.task("t1", "true", { ...on("ws", "x"), podOverrides: { nodeSelector: { no: "node" } } });
    await scene.when("t1", (task) => task.status?.attempts === 1);
    await scene.task("t2", "true", on("ws", "x"));
    await scene.task("u1", "true", { ...on("other", "x"), podOverrides: { nodeSelector: { no: "node" } } });
    expect((await scene.when("t2", (task) => task.status?.phase === "Waiting")).status).toMatchObject({
      reason: "BranchBusy",
      message: expect.stringContaining("t1"),
    });
    await scene.when("u1", (task) => task.status?.attempts === 1);
    await scene.client.patch(tasks, scene.namespace, "t1", { spec: { cancel: true } });
    expect((await scene.when("t1")).status?.phase).toBe("Cancelled");
    expect((await scene.when("t2")).status).toMatchObject({ phase: "Failed", reason: "WorkspaceFailed" });
  });

  test("a dependent that was created before its dependency does not block it", async () => {
    await scene.task("second", "true", { ...on("ws", "y"), dependsOn: ["first"] });
    await scene.when("second", (task) => task.status?.phase === "Waiting");
    await scene.task("first", "true", on("ws", "y"));
    // It gets to run, which is the point; that its repository can't be reached is not.
    expect((await scene.when("first")).status).toMatchObject({ phase: "Failed", reason: "WorkspaceFailed" });
    expect((await scene.when("second")).status).toMatchObject({ phase: "Failed", reason: "DependencyFailed" });
  });

  test("a deleted holder frees the branch", async () => {
    await scene.task("h1", "true", { ...on("ws", "z"), podOverrides: { nodeSelector: { no: "node" } } });
    await scene.when("h1", (task) => task.status?.attempts === 1);
    await scene.task("h2", "true", on("ws", "z"));
    await scene.when("h2", (task) => task.status?.phase === "Waiting");
    await scene.client.delete(tasks, scene.namespace, "h1");
    expect((await scene.when("h2")).status?.attempts).toBe(1);
  });

  test("twins in another namespace know nothing of each other", async () => {
    const twin = await ClusterScene.open();
    try {
      await twin.operate();
      await twin.make(workspaces, "ws", { spec: { repo: "https://127.0.0.1:1/none.git", depth: 1 } });
      await scene.task("n1", "true", { ...on("ws", "w"), podOverrides: { nodeSelector: { no: "node" } } });
      await scene.when("n1", (task) => task.status?.attempts === 1);
      await twin.task("n2", "true", { ...on("ws", "w"), podOverrides: { nodeSelector: { no: "node" } } });
      expect((await twin.when("n2", (task) => task.status?.phase !== undefined)).status?.phase).toBe("Pending");
    } finally {
      await twin.close();
    }
  });
});
