import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { agentConfigs, jobs, workspaces } from "../../src/cluster/kube/resource.ts";
import { responseOf } from "../../src/contract/outputs/outputs.ts";
import { credentialVariable } from "../../src/contract/resources/agent-types.ts";
import { type Api, startModelServer } from "../real-agents/model-server.ts";
import { overhear } from "../real-agents/overhear.ts";
import { podSubjects } from "../real-agents/pod-subjects.ts";
import { type GitServer, startGitServer } from "./git-server.ts";
import { AGENTS_IMAGE, agentsImage } from "./kube/agents-image.ts";
import { loadImage } from "./kube/image.ts";
import { ClusterScene, facts, noNode } from "./scene.ts";

/** The real agents in real pods, with a scripted model at the other end. */
describe.skipIf(noNode || facts?.folder === undefined)("a Task with the real agent", () => {
  let scene: ClusterScene;
  let git: GitServer;
  const servers = new Map<Api, Awaited<ReturnType<typeof startModelServer>>>();

  beforeAll(async () => {
    // Too large for every suite to load: only this one pays for it.
    loadImage(join(facts?.folder ?? "", "node/c.sock"), agentsImage());
    scene = await ClusterScene.open();
    await scene.operate();
    git = await startGitServer(facts?.gateway ?? "");
    for (const api of ["anthropic", "openai", "gemini"] as const) servers.set(api, await startModelServer(api));
    await scene.make(workspaces, "repo", { spec: { repo: git.url, ref: "main", depth: 1 } });
    await scene.make(agentConfigs, "team", { spec: { agentsMD: "Always say AHOY." } });
  }, 300_000);
  afterAll(async () => {
    for (const server of servers.values()) server.stop();
    git?.close();
    await scene?.close();
  });

  test.each(podSubjects)(
    "$type: outputs, usage and results, which reach the Task that depends on it",
    async (subject) => {
      const { type, model } = subject;
      const ear = await overhear(servers.get(subject.api)?.url ?? "", facts?.gateway);
      onTestFinished(ear.stop);
      const variable = credentialVariable(type, "api-key") ?? "";
      const { [variable]: key = "good-key", ...env } = subject.connection(ear.url, "good-key");
      await scene.secret(`${type}-key`, { [variable]: key });
      const common = {
        type,
        image: AGENTS_IMAGE,
        model,
        credentials: { type: "api-key" as const, secretRef: { name: `${type}-key` } },
        workspaceRef: { name: "repo" },
        agentConfigRef: { name: "team" },
        podOverrides: {
          resources: { limits: { memory: "3Gi" } },
          env: Object.entries(env).map(([name, value]) => ({ name, value })),
        },
      };
      const commit = "git -c user.name=a -c user.email=a@a commit -q --allow-empty -m by-the-agent";
      await scene.task(`${type}-one`, `@bash ${commit}`, { ...common, branch: `agent/${type}` });
      const { status } = await scene.when(`${type}-one`, undefined, 120_000);
      expect(status, JSON.stringify(status)).toMatchObject({ phase: "Succeeded", exitCode: 0, attempts: 1 });
      expect(status?.results).toMatchObject({ branch: `agent/${type}`, "base-branch": "main" });
      expect(status?.results?.commit).toMatch(/^[0-9a-f]{40}$/);
      expect(status?.usage?.inputTokens).toBeGreaterThan(0);
      expect(Number(status?.usage?.costUSD)).toBeGreaterThan(0);
      expect(responseOf(status?.results ?? {})).not.toBe("");
      expect(status?.conditions ?? []).toEqual([]); // from the termination message, not from the log
      expect(ear.asked()).toContain("Always say AHOY.");
      const job = await scene.client.get(jobs, scene.namespace, `${type}-one`);
      // OpenCode's is in the configuration that this test gives it.
      if (type !== "opencode") expect(JSON.stringify(job)).not.toContain("good-key");

      ear.clear();
      const prompt = `-- look at {{ index .Deps "${type}-one" "Results" "commit" }}`;
      await scene.task(`${type}-two`, prompt, { ...common, dependsOn: [`${type}-one`] });
      expect((await scene.when(`${type}-two`, undefined, 120_000)).status).toMatchObject({ phase: "Succeeded" });
      expect(ear.asked()).toContain(`-- look at ${status?.results?.commit}`);
    },
    240_000,
  );
});
