import { connect, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { responseOf } from "../../src/contract/outputs.ts";
import { credentialVariable } from "../../src/contract/resources/agent-types.ts";
import { jobs, secrets, workspaces } from "../../src/operator/kube/resource.ts";
import { type Api, startModelServer } from "../real-agents/model-server.ts";
import { podSubjects } from "../real-agents/pod-subjects.ts";
import { type GitServer, startGitServer } from "./git-server.ts";
import { agentsAreInstalled, REAL_AGENTS, realAgentsImage } from "./kube/agent-image.ts";
import { loadImage } from "./kube/image.ts";
import { ClusterScene, facts, noNode } from "./scene.ts";

const apis: Api[] = ["anthropic", "openai", "gemini"];

describe.skipIf(noNode || !agentsAreInstalled())("a Task with each real agent, on a scripted model", () => {
  let scene: ClusterScene;
  let git: GitServer;
  const urls = new Map<Api, string>();
  const stops: (() => void)[] = [];

  beforeAll(async () => {
    loadImage(join(facts?.folder ?? "", "node/c.sock"), realAgentsImage());
    scene = await ClusterScene.open();
    const resources = { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "2Gi" } };
    const images = Object.fromEntries(podSubjects.map(({ type }) => [type, REAL_AGENTS]));
    await scene.operate({ resources, images });
    git = await startGitServer(facts?.gateway ?? "");
    await scene.make(workspaces, "ws", { spec: { repo: git.url, ref: "main", depth: 1 } });
    for (const api of apis) {
      const server = await startModelServer(api);
      const forwarded = await forward(facts?.gateway ?? "", Number(new URL(server.url).port));
      urls.set(api, forwarded.url);
      stops.push(server.stop, forwarded.stop);
    }
  }, 300_000);
  afterAll(async () => {
    for (const stop of stops) stop();
    git?.close();
    await scene?.close();
  });

  test.each(podSubjects)(
    "$type: outputs, usage and results, and the dependent's prompt",
    { timeout: 240_000 },
    async ({ type, api, model, tokens, connection }) => {
      const variable = credentialVariable(type, "api-key") ?? "";
      await scene.make(secrets, `${type}-key`, { data: { [variable]: Buffer.from("good-key").toString("base64") } });
      const env = Object.entries(connection(urls.get(api) ?? "", "a-key"))
        .filter(([name]) => name !== variable) // that one comes from the Secret
        .map(([name, value]) => ({ name, value }));
      const common = {
        type,
        image: undefined,
        model,
        credentials: { type: "api-key" as const, secretRef: { name: `${type}-key` } },
        podOverrides: { env },
      };
      await scene.task(`${type}-second`, `The branch is {{ index .Deps "${type}-first" "Results" "branch" }}.`, {
        ...common,
        dependsOn: [`${type}-first`],
      });
      await scene.task(`${type}-first`, `--hello from ${type}`, {
        ...common,
        workspaceRef: { name: "ws" },
        branch: `agent/${type}`,
      });
      const { status } = await scene.when(`${type}-first`, undefined, 120_000);
      expect(status, status?.message).toMatchObject({
        phase: "Succeeded",
        exitCode: 0,
        results: { branch: `agent/${type}`, "base-branch": "main", commit: git.git("rev-parse", "main") },
        usage: { inputTokens: Number(tokens[0]), outputTokens: Number(tokens[1]) },
      });
      expect(Number(status?.usage?.costUSD)).toBeGreaterThan(0);
      expect(responseOf(status?.results ?? {})).toContain(`--hello from ${type}`);
      expect(status?.conditions, "from the termination message").toBeUndefined();
      const second = await scene.when(`${type}-second`, undefined, 120_000);
      expect(second.status?.phase, second.status?.message).toBe("Succeeded");
      expect(responseOf(second.status?.results ?? {})).toContain(`The branch is agent/${type}.`);
      const job = await scene.client.get(jobs, scene.namespace, `${type}-first`);
      expect(JSON.stringify(job)).not.toContain("good-key");
    },
  );
});

/** The model's server is on loopback; pods reach the machine at the bridge. */
async function forward(host: string, port: number): Promise<{ url: string; stop: () => void }> {
  const server = createServer((socket) => {
    const onward = connect(port, "127.0.0.1");
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) end.on("error", () => (socket.destroy(), onward.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  return {
    url: `http://${host}:${typeof address === "object" && address !== null ? address.port : 0}`,
    stop: () => server.close(),
  };
}
