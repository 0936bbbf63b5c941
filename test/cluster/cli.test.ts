import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { agentConfigs, type KubeObject, type Resource, tasks, workspaces } from "../../src/cluster/kube/resource.ts";
import { scene as desk, finished, until } from "../support/cox.ts";
import { documentedManifests } from "../support/kubernetes-pages.ts";
import { SHELL_AGENT } from "./kube/test-images.ts";
import { ClusterScene, facts, noCluster, noNode } from "./scene.ts";

const kubeconfig = { KUBECONFIG: facts?.kubeconfig };

const kinds = {
  Task: tasks,
  Workspace: workspaces,
  AgentConfig: agentConfigs,
};

describe.skipIf(noCluster)("a real API server", () => {
  let scene: ClusterScene;
  beforeAll(async () => {
    scene = await ClusterScene.open();
  });
  afterAll(() => scene?.close());

  test.each(documentedManifests().map(({ page, object }) => [page, object.metadata.name, object] as const))(
    "takes what %s shows: %s",
    async (_page, _name, object) => {
      const kind: Resource = kinds[object.kind as keyof typeof kinds];
      const manifest = { ...object, metadata: { ...object.metadata, namespace: scene.namespace } } as KubeObject;
      const applied = await scene.client.apply(kind, manifest, {
        fieldManager: "docs",
        fieldValidation: "Strict",
      });
      expect(applied).toMatchObject({ spec: object.spec });
    },
  );

  test("is installed on, upgraded and left again by commands", async () => {
    const it = desk(onTestFinished);
    const namespace = `${scene.namespace}-op`;
    const cox = (...args: string[]) => it.cox(["k8s", ...args, "-n", namespace], { env: kubeconfig });
    const installed = await cox("install", "--no-wait", "--allow-image", "registry.example/");
    expect(installed.stderr).toBe("");
    expect(installed.code).toBe(0);
    expect((await cox("install", "--no-wait", "--allow-image", "registry.example/")).code).toBe(0);
    expect(await cox("run", "-d", "--secret", "none", "--image", "elsewhere/x", "go")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("image: allowed here: registry.example/"),
    });
    expect(await cox("upgrade", "--no-wait")).toMatchObject({ code: 0 });
    const gone = await cox("uninstall");
    expect(gone).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Deployment ${namespace}/coxswain-operator deleted`),
    });
    const namespaceKind: Resource = { apiVersion: "v1", kind: "Namespace", plural: "namespaces", clusterScoped: true };
    await scene.client.delete(namespaceKind, undefined, namespace);
  });
});

describe.skipIf(noNode)("Tasks by commands", () => {
  let scene: ClusterScene;
  beforeAll(async () => {
    scene = await ClusterScene.open();
    await scene.operate();
    await scene.secret("coxswain-claude-code", { ANTHROPIC_API_KEY: "k" });
  });
  afterAll(() => scene?.close());

  const start = (...args: string[]) =>
    desk(onTestFinished).start(["k8s", ...args, "-n", scene.namespace], { env: kubeconfig });
  const cox = (...args: string[]) => finished(start(...args));
  const shell = ["-t", "claude-code", "--image", SHELL_AGENT];
  const said = JSON.stringify({
    type: "assistant",
    message: { id: "m", model: "x", content: [{ type: "text", text: "Hello from a POD" }] },
  });

  test("run shows the agent live and ends with its code; logs, describe and retry tell the rest", async () => {
    // The prompt is shown too, so it must not hold what the agent will say.
    const script = `echo '${said}' | sed s/POD/pod/; echo on std''err >&2; echo '---KELOS_OUTPUTS_START---'; echo 'branch: b1'; echo '---KELOS_OUTPUTS_END---'; exit 5`;
    const ran = await cox("run", "--name", "live", ...shell, script);
    expect(ran.stdout).toContain("Hello from a pod");
    expect(ran.code).toBe(5);
    expect(await cox("wait", "live")).toMatchObject({
      code: 5,
      stdout: expect.stringContaining("live Failed: AgentFailed"),
    });
    expect((await cox("logs", "live")).stdout).toContain("on stderr");
    expect((await cox("logs", "live", "--raw")).stdout).toContain("branch: b1\n");
    expect((await cox("describe", "live")).stdout).toMatch(/Exit code +5[^]*Outputs[^]*branch: b1/);
    expect((await cox("get")).stdout).toMatch(/live +\d+s +claude-code +Failed/);
    expect(await cox("retry", "live", "-d")).toMatchObject({ code: 0, stdout: "live-retry-2\n" });
    expect(await cox("wait", "live-retry-2")).toMatchObject({ code: 5 });
    expect(await cox("delete", "live", "live-retry-2")).toMatchObject({ code: 0 });
  });

  test("cancel gives the agent its grace, and logs -f sees the end", async () => {
    await cox(
      "run",
      "-d",
      "--name",
      "slow",
      ...shell,
      "trap 'echo had my gr\"\"ace; exit 0' TERM; echo beg''un; while true; do sleep 0.1; done",
    );
    const follower = start("logs", "-f", "slow");
    let seen = "";
    follower.stdout?.on("data", (chunk) => {
      seen += String(chunk);
    });
    const followed = finished(follower);
    await until(() => seen.includes("begun"));
    expect(await cox("cancel", "slow")).toMatchObject({ code: 0 });
    expect((await followed).stdout).toContain("had my grace");
    expect(await cox("wait", "slow")).toMatchObject({
      code: expect.any(Number),
      stdout: expect.stringContaining("slow Cancelled"),
    });
  });
});
