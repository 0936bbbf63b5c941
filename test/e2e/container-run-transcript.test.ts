import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseOutputs } from "../../src/contract/outputs/outputs.ts";
import { finished, root, type Scene, scene, until } from "../support/cox.ts";
import { FakeCluster } from "../support/fake-cluster.ts";

const said = [
  { type: "system", subtype: "init", session_id: "s", model: "opus" },
  { type: "assistant", message: { id: "m", model: "opus", content: [{ type: "text", text: "Hello from afar" }] } },
  {
    type: "result",
    subtype: "success",
    total_cost_usd: 0.25,
    usage: { input_tokens: 1, output_tokens: 2 },
    result: "Hello from afar",
  },
];

/** A container whose agent says that, and a server that is to keep it. */
function container(it: Scene, env: Record<string, string>) {
  const bin = join(it.folder, "bin");
  mkdirSync(bin);
  writeFileSync(
    join(bin, "claude"),
    `#!/bin/sh\n${said.map((line) => `echo '${JSON.stringify(line)}'`).join("\n")}\necho words\n`,
  );
  chmodSync(join(bin, "claude"), 0o755);
  const pod = {
    PATH: `${bin}:${it.env.PATH}`,
    HOME: it.folder,
    KELOS_AGENT_TYPE: "claude-code",
    KELOS_TASK_NAME: "fix-login",
    KELOS_TASK_NAMESPACE: "team",
    KELOS_BASE_BRANCH: "main",
    COX_TERMINATION_LOG: "/nowhere",
    ...env,
  };
  return finished(
    spawn(process.execPath, [join(root, "bin/cox"), "container-run", "say hello\nplease"], {
      cwd: it.workspace,
      env: pod,
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
}

async function server(it: Scene): Promise<string> {
  const child = it.start(["serve", "--no-open", "--port", "0"]);
  onTestFinished(async () => {
    const gone = finished(child);
    child.kill();
    await gone;
  });
  const file = join(it.home, "server.json");
  return until(() => {
    try {
      return (JSON.parse(readFileSync(file, "utf8")) as { url: string }).url;
    } catch {
      return undefined;
    }
  });
}

test("what the agent said is kept by a server, and found there when the pod is gone", async () => {
  const it = scene();
  const url = await server(it);
  const { stdout: printed } = await it.cox(["token", "new", "cluster", "--scope", "import"]);
  const tokenFile = join(it.folder, "token");
  writeFileSync(tokenFile, printed);
  const { code, stderr, stdout } = await container(it, { COX_SERVER_URL: url, COX_SERVER_TOKEN_FILE: tokenFile });
  expect(stderr).toBe("");
  expect(code).toBe(0);
  expect(parseOutputs(stdout)).toContain("cost-usd: 0.25");

  const [run] = it.runs();
  expect(run?.info).toMatchObject({
    project_id: "team",
    task_id: "fix-login",
    agent: "claude-code",
    status: "completed",
    turns: 1,
    input_tokens: 1,
    cost_usd: 0.25,
  });
  expect(run?.events.map(({ seq }) => seq)).toEqual(run?.events.map((_, at) => at + 1));
  expect(run?.events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["user_message", "message_chunk", "complete", "notice"]),
  );
  expect(run?.events.at(-1)).toMatchObject({ type: "session_status", status: "closed", exitCode: 0 });
  expect((await it.cox(["logs", "latest"])).stdout).toContain("Hello from afar");

  const cluster = await FakeCluster.start();
  cluster.addTask("fix-login", {}, { phase: "Succeeded", podName: "gone" });
  const env = {
    KUBECONFIG: cluster.kubeconfig,
    COX_SERVER_URL: url,
    COX_SERVER_TOKEN_FILE: join(it.home, "server-token"),
  };
  expect((await it.cox(["k8s", "logs", "fix-login"], { env })).stdout).toContain("Hello from afar");
  cluster.addTask("other", {}, { phase: "Succeeded", podName: "gone" });
  expect(await it.cox(["k8s", "logs", "other"], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("has no transcript of it"),
  });
});

test("a server that is away, or doesn't know us, changes nothing but a line on stderr", async () => {
  const it = scene();
  const away = await container(it, { COX_SERVER_URL: "http://127.0.0.1:1" });
  expect(away).toMatchObject({ code: 0, stderr: expect.stringContaining("transcript: http://127.0.0.1:1: ") });
  expect(parseOutputs(away.stdout)).toContain("base-branch: main");
});
