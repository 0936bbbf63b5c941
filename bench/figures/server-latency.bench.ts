import { fork, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { httpClient } from "../../src/lib/client/http.ts";
import { type Comparison, median } from "../measure/figure.ts";
import { root, temporary } from "../scenes/scene.ts";
import { delaysOf, told } from "../scenes/server-scene.ts";
import { serve } from "../scenes/serving.ts";

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
  const { url, token } = await serve(home);
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
  const name = "server: stdout to SSE, p50, of the least server on the same file";
  return [{ name, headline: true, must: 1.4, aim: 1.2, rounds: 9, baseline: plain, subject: ours }];
}
