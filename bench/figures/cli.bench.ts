import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Comparison } from "../measure/figure.ts";
import { historyOf } from "../scenes/history.ts";
import { cox, cpuOf, temporary } from "../scenes/scene.ts";

const TIMES = 5;

/** What every call of the command pays. */
export async function cli(): Promise<Comparison[]> {
  const { folder } = temporary();
  const env = { ...process.env, COX_HOME: folder, HOME: folder };
  historyOf(folder, 100);
  const socket = await socketIn(folder);
  const nothing = () => cpuOf("node -e 0", TIMES, env);
  return [
    {
      name: "cli: `cox ls` with 100 runs, of `node -e 0` (CPU)",
      headline: true,
      must: 1.3,
      aim: 1.15,
      rounds: 9,
      quickRounds: 5,
      baseline: nothing,
      subject: () => cpuOf(`node ${cox} ls`, TIMES, env),
    },
    {
      name: "cli: `cox bus post`, of `node -e 0` (CPU)",
      headline: true,
      must: 1.25,
      aim: 1.1,
      rounds: 9,
      quickRounds: 5,
      baseline: nothing,
      subject: () => cpuOf(`node ${cox} bus post --project p hello`, TIMES, env),
    },
    {
      name: "cli: `cox mcp --socket`, of `node -e 0` (CPU)",
      must: 1.5,
      aim: 1.2,
      rounds: 9,
      quickRounds: 5,
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
