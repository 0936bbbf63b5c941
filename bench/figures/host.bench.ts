import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Comparison } from "../measure/figure.ts";
import { cox, temporary } from "../scenes/scene.ts";

/** What a host costs while its agent waits for the next prompt. */
export function host(): Comparison[] {
  const { folder } = temporary();
  const env = { ...process.env, COX_HOME: join(folder, "home"), DEMO_SPEED: "0", DEMO_HOME: folder };
  return [
    {
      name: "host: PSS of an idle host, of a bare idle node",
      headline: true,
      must: 2.1,
      aim: 1.8,
      rounds: 3,
      async baseline() {
        const child = spawn("node", ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
        return settled(child);
      },
      async subject() {
        const args = [
          cox,
          "run",
          "-i",
          "-d",
          "--agent",
          "demo",
          "--permissions",
          "allow",
          "--cwd",
          folder,
          "--",
          "@say hello",
        ];
        const started = spawn("node", args, { env, stdio: ["ignore", "pipe", "ignore"] });
        const handle = (await text(started.stdout)).trim();
        const runId = readFileSync(join(folder, "home/handles", handle.slice(1)), "utf8").trim();
        const claim: { pid: number } = JSON.parse(readFileSync(join(folder, "home/hosts", `${runId}.json`), "utf8"));
        await new Promise((resolve) => setTimeout(resolve, 4000));
        const size = pss(claim.pid);
        process.kill(claim.pid, "SIGTERM");
        return size;
      },
    },
  ];
}

async function settled(child: ChildProcess): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const size = pss(child.pid ?? 0);
  child.kill();
  return size;
}

function pss(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]);
}
