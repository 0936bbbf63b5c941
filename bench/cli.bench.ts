import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Comparison } from "./compare.ts";
import { cox, cpuOf, temporary } from "./scene.ts";

const TIMES = 10;

/** What every call of the command pays. */
export async function cli(): Promise<Comparison[]> {
  const { folder } = temporary();
  const env = { ...process.env, COX_HOME: folder, HOME: folder };
  mkdirSync(join(folder, "hosts"), { recursive: true, mode: 0o700 });
  for (let i = 0; i < 100; i += 1) appendFileSync(join(folder, "runs.jsonl"), ledgerLines(i));
  const socket = await socketIn(folder);
  const nothing = () => cpuOf("node -e 0", TIMES, env);
  return [
    {
      name: "cli: `cox ls` with 100 runs, of `node -e 0` (CPU)",
      must: 1.6,
      aim: 1.25,
      rounds: 7,
      baseline: nothing,
      subject: () => cpuOf(`node ${cox} ls`, TIMES, env),
    },
    {
      name: "cli: `cox mcp --socket`, of `node -e 0` (CPU)",
      must: 1.5,
      aim: 1.2,
      rounds: 7,
      baseline: nothing,
      subject: () => cpuOf(`node ${cox} mcp --socket ${socket} </dev/null`, TIMES, env),
    },
  ];
}

/** Of a run that listens and has nothing to say. It goes with us: then its stdin is closed. */
async function socketIn(folder: string): Promise<string> {
  const path = join(folder, "hosts", "agent.sock");
  const listen = `require("net").createServer((socket) => socket.resume()).listen(process.argv[1], () => console.log("up"))`;
  const script = `${listen}; process.stdin.resume().on("end", () => process.exit())`;
  const child = spawn(process.execPath, ["-e", script, path], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return path;
}

function ledgerLines(i: number): string {
  const run_id = `20260101-${String(i).padStart(10, "0")}-0000001-0001`;
  const at = "2026-01-01T00:00:00.000Z";
  const start = { type: "start", run_id, project: "p", task: "t", agent: "demo", at, cwd: "/tmp", title: `run ${i}` };
  const end = {
    type: "end",
    run_id,
    at,
    status: "completed",
    reason: "",
    exit_code: 0,
    cost_usd: 0,
    tokens: 1,
    turns: 1,
  };
  return `\n${JSON.stringify(start)}\n\n${JSON.stringify(end)}\n`;
}
