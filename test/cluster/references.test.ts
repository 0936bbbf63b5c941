import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentConfigs, configMaps, jobs, secrets, tasks, workspaces } from "../../src/cluster/kube/resource.ts";
import type { PodOverrides } from "../../src/contract/resources/pod-overrides.ts";
import { SHELL_AGENT } from "./kube/test-images.ts";
import { ClusterScene, noCluster } from "./scene.ts";

describe.skipIf(noCluster)("what a Task names", () => {
  let scene: ClusterScene;
  beforeAll(async () => {
    scene = await ClusterScene.open();
    await scene.operate({
      images: { "claude-code": SHELL_AGENT },
      allowedImages: ["cox.test/"],
      allowedServiceAccounts: ["builder"],
    });
  });
  afterAll(() => scene?.close());

  const jobsOf = async (name: string) =>
    (await scene.client.list(jobs, scene.namespace, { labelSelector: `coxswain.dev/task=${name}` })).items.length;

  test("is named when it is missing, one thing after the other, before any Job; when it is there, all goes on by itself", async () => {
    await scene.task("needy", "true", {
      type: "claude-code",
      credentials: { type: "api-key", secretRef: { name: "key" } },
      workspaceRef: { name: "ws" },
      agentConfigRef: { name: "conf" },
    });
    const missing = (reason: string) => scene.when("needy", (task) => task.status?.reason === reason, 20_000);
    const first = await missing("WorkspaceNotFound");
    expect(first.status).toMatchObject({
      phase: "Pending",
      message:
        "Workspace ws does not exist; AgentConfig conf does not exist; Secret key (for spec.credentials.secretRef) does not exist",
      conditions: [{ type: "ReferencesResolved", status: "False", reason: "WorkspaceNotFound" }],
    });
    await scene.make(workspaces, "ws", {
      spec: { repo: "https://127.0.0.1:1/none.git", depth: 1, secretRef: { name: "git" } },
    });
    await missing("AgentConfigNotFound");
    await scene.make(agentConfigs, "conf", { spec: { agentsMD: "x" } });
    expect((await missing("SecretNotFound")).status?.message).toContain(
      "Secret key (for spec.credentials.secretRef) does not exist; Secret git (for the Workspace's spec.secretRef) does not exist",
    );
    await scene.secret("key", { OPENAI_API_KEY: "x" }, false);
    await scene.secret("git", { GITHUB_TOKEN: "x" });
    expect((await missing("SecretNotUsable")).status?.message).toBe(
      "Secret key (for spec.credentials.secretRef) is not marked as usable by Tasks; ask its owner for: kubectl label secret key coxswain.dev/usable-by-tasks=true",
    );
    const patch = (change: object) => scene.client.patch(secrets, scene.namespace, "key", change);
    await patch({ metadata: { labels: { "coxswain.dev/usable-by-tasks": "true" } } });
    expect((await missing("SecretKeyNotFound")).status?.message).toBe(
      "Secret key (for spec.credentials.secretRef) has no key ANTHROPIC_API_KEY",
    );
    expect(await jobsOf("needy")).toBe(0);
    await patch({ stringData: { ANTHROPIC_API_KEY: "x" } });
    const started = await scene.when("needy", (task) => task.status?.attempts === 1, 20_000);
    expect(started.status?.conditions ?? []).toEqual([]);
  });

  test.each([
    [
      "an image from elsewhere",
      { image: "evil.example/agent:1" },
      "spec.image: evil.example/agent:1 is not allowed here",
    ],
    [
      "another account",
      { podOverrides: { serviceAccountName: "cluster-admin" } },
      "spec.podOverrides.serviceAccountName: cluster-admin is not allowed here",
    ],
    [
      "the node's priority",
      { podOverrides: { priorityClassName: "system-node-critical" } },
      "spec.podOverrides.priorityClassName: system-node-critical is not allowed here",
    ],
    [
      "the control plane's taint",
      { podOverrides: { tolerations: [{ operator: "Exists" as const }] } },
      "spec.podOverrides.tolerations: every taint is not allowed here",
    ],
  ])("%s is refused before any Job", async (name, more, message) => {
    const task = `refused-${name.replace(/\W+/g, "-")}`;
    await scene.task(task, "true", more);
    const { status } = await scene.when(task);
    expect(status).toMatchObject({ phase: "Failed", reason: "NotAllowed", message: expect.stringContaining(message) });
    expect(status?.conditions).toMatchObject([{ type: "Allowed", status: "False", reason: "NotAllowed" }]);
    expect(await jobsOf(task)).toBe(0);
  });

  test.each<[string, PodOverrides]>([
    ["a variable", { env: [{ name: "P", valueFrom: { secretKeyRef: { name: "database", key: "password" } } }] }],
    ["a volume", { volumes: [{ name: "v", secret: { secretName: "database" } }] }],
    ["an optional volume", { volumes: [{ name: "v", secret: { secretName: "database", optional: true } }] }],
    ["the registry's key", { imagePullSecrets: [{ name: "database" }] }],
  ])("a Secret of somebody else can't be had as %s", async (way, podOverrides) => {
    await scene.secret("database", { password: "x" }, false);
    const task = `thief-${way.replace(/\W+/g, "-")}`;
    await scene.task(task, "cat /v/*; env", { podOverrides });
    const { status } = await scene.when(task, ({ status }) => status?.reason === "SecretNotUsable");
    expect(status?.conditions).toMatchObject([
      { type: "ReferencesResolved", status: "False", message: expect.stringContaining("ask its owner for: kubectl") },
    ]);
    expect(await jobsOf(task)).toBe(0);
  });

  test("an optional Secret that isn't there can't come later", async () => {
    await scene.task("patient", "true", {
      podOverrides: {
        env: [{ name: "P", valueFrom: { secretKeyRef: { name: "later", key: "k", optional: true } } }],
        volumes: [{ name: "v", secret: { secretName: "later", optional: true } }],
      },
    });
    await scene.when("patient", (task) => task.status?.attempts === 1);
    const job = await scene.client.get(jobs, scene.namespace, "patient");
    expect(JSON.stringify(job.spec)).not.toContain("later");
  });

  test.each(["..", ".", "a/b", ""])("a Secret called %j is one that doesn't exist", async (secretName) => {
    const task = `odd-${Buffer.from(secretName).toString("hex") || "empty"}`;
    await scene.task(task, "true", { podOverrides: { volumes: [{ name: "v", secret: { secretName } }] } });
    await scene.when(task, ({ status }) => status?.reason === "SecretNotFound");
  });

  test("an agent type that the operator has no image for is refused", async () => {
    await scene.task("imageless", "true", { type: "gemini", image: undefined });
    expect((await scene.when("imageless")).status).toMatchObject({ phase: "Failed", reason: "ImageUnknown" });
  });

  test("an allowed account is used, and only then is its token mounted", async () => {
    await scene.task("with-account", "true", { podOverrides: { serviceAccountName: "builder" } });
    await scene.when("with-account", (task) => task.status?.attempts === 1);
    const job = await scene.client.get(jobs, scene.namespace, "with-account");
    expect(job.spec.template.spec).toMatchObject({ serviceAccountName: "builder", automountServiceAccountToken: true });
  });

  test("a Job of that name that is not ours is left alone, and said; when it goes, the Task goes on", async () => {
    const foreign = await scene.make(jobs, "taken", {
      spec: {
        suspend: true,
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "c", image: "cox.test/shell-agent:1" }],
            securityContext: { runAsNonRoot: true },
          },
        },
      },
    });
    await scene.task("taken", "true");
    const { status } = await scene.when("taken", (task) => task.status?.reason === "NameConflict");
    expect(status).toMatchObject({
      phase: "Pending",
      conditions: [
        {
          type: "NameConflict",
          status: "True",
          message: expect.stringContaining("Job taken exists and belongs to nobody we know"),
        },
      ],
    });
    const untouched = await scene.client.get(jobs, scene.namespace, "taken");
    expect(untouched.metadata.uid).toBe(foreign.metadata.uid);
    await scene.client.delete(jobs, scene.namespace, "taken");
    await scene.when("taken", (task) => task.status?.attempts === 1, 20_000);
  });

  test("a ConfigMap that is not ours is not overwritten", async () => {
    await scene.make(configMaps, "big-files-1", { data: { mine: "yes" } });
    await scene.task("big", `${"#".repeat(120_000)}\ntrue`);
    await scene.when("big", (task) => task.status?.reason === "NameConflict");
    expect((await scene.client.get(configMaps, scene.namespace, "big-files-1")).data).toEqual({ mine: "yes" });
  });

  test("a Task that is created again under its name waits for the old Job to go", async () => {
    await scene.task("twice", "true");
    await scene.when("twice", (task) => task.status?.attempts === 1);
    await scene.client.delete(tasks, scene.namespace, "twice");
    const again = await scene.task("twice", "true");
    const { status } = await scene.when("twice", (task) => task.status?.attempts === 1, 30_000);
    const job = await scene.client.get(jobs, scene.namespace, "twice");
    expect(job.metadata.ownerReferences?.[0]?.uid).toBe(again.metadata.uid);
    expect(status?.jobUID).toBe(job.metadata.uid);
  });

  test("a Job that somebody deletes is a failure, not a reason for another", async () => {
    await scene.task("robbed", "sleep 100", { podOverrides: { nodeSelector: { no: "node" } } });
    await scene.when("robbed", (task) => task.status?.attempts === 1);
    await scene.client.delete(jobs, scene.namespace, "robbed");
    expect((await scene.when("robbed")).status).toMatchObject({ phase: "Failed", reason: "JobDeleted", attempts: 1 });
    expect(await jobsOf("robbed")).toBe(0);
  });
});
