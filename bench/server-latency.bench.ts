import { fork, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { httpClient } from "../src/lib/client/http.ts";
import type { Comparison } from "./compare.ts";
import { cox, root, temporary } from "./scene.ts";
import { delaysOf, median, told } from "./server-scene.ts";

const COUNT = 300;
const EVERY_MS = 8;

/** From a word of the agent to a client of the server, through host, log and stream; against a file and the least server. */
export async function latency(): Promise<Comparison[]> {
  const { folder } = temporary();
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const agent = join(root, "bench/fixtures/stamping-agent.mjs");
  const definition = { id: "stamping", name: "Stamping", protocol: "acp", cmd: [process.execPath, agent] };
  writeFileSync(join(home, "agents.json"), JSON.stringify({ version: 1, agents: [definition] }));
  const serving = spawn(process.execPath, [cox, "serve", "--no-open", "--port", "0"], {
    env: { ...process.env, COX_HOME: home },
    stdio: ["ignore", "pipe", "ignore"],
  });
  process.on("exit", () => serving.kill());
  const url = await new Promise<string>((resolve) =>
    serving.stdout.once("data", (line) => resolve(new URL(String(line).trim()).origin)),
  );
  const token = readFileSync(join(home, "server-token"), "utf8").trim();
  const client = httpClient({ url, token });

  const plain = async () => {
    const file = join(folder, `plain-${performance.now()}.txt`);
    const out = openSync(file, "a");
    const server = fork(join(root, "bench/fixtures/tail-server.mjs"), [file]);
    const { port } = await told<{ port: number }>(server);
    const delays = delaysOf(`http://127.0.0.1:${port}/`, {}, COUNT);
    await new Promise((resolve) => setTimeout(resolve, 200));
    // A process of its own, as an agent is one: a writer that is also the client is awake when its line arrives.
    const args = [join(root, "bench/fixtures/stamps.mjs"), String(COUNT), String(EVERY_MS)];
    spawn(process.execPath, args, { stdio: ["ignore", out, "inherit"] });
    const found = median(await delays);
    server.disconnect();
    closeSync(out);
    return found;
  };
  const ours = async () => {
    const body = {
      prompt: [{ type: "text" as const, text: `@stamps ${COUNT} ${EVERY_MS}` }],
      agent: "stamping",
      workspace: folder,
      mode: "batch" as const,
    };
    const { run_id: run } = await client.call("POST /runs", { body });
    const headers = { authorization: `Bearer ${token}` };
    return median(await delaysOf(`${url}/api/v1/runs/${run}/stream`, headers, COUNT));
  };
  const name = "server: a word of the agent to a client, of file tail to SSE";
  return [{ name, must: 2, aim: 1.3, rounds: 9, baseline: plain, subject: ours }];
}
