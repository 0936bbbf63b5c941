import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Comparison } from "../measure/figure.ts";
import { atTerminal, cox, cpuOf, cpuOfAll, root, temporary } from "../scenes/scene.ts";

const TIMES = 3;

/** What a run costs beyond its agent: one that does nothing, in a folder without git. */
export function run(): Comparison[] {
  const { folder } = temporary();
  const workspace = join(folder, "work");
  mkdirSync(workspace);
  const path = [join(root, "bench/fixtures/nothing"), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, HOME: folder, COX_HOME: join(folder, "home"), TERM: "xterm" };
  // Where it works it must not find its program: what agents can write to isn't trusted.
  const command = `node ${cox} run --agent opencode hello`;
  const shared = { headline: true, rounds: 11, quickRounds: 5 } as const;
  const plain: Comparison = {
    ...shared,
    name: "run: an agent that does nothing, of `node -e 0` (CPU)",
    must: 1.8,
    aim: 1.5,
    baseline: () => cpuOf("node -e 0 </dev/null", TIMES, env),
    subject: () => cpuOf(`cd ${workspace}; ${command} </dev/null`, TIMES, env),
  };
  if (!existsSync("/proc/self/ns/pid")) {
    console.log("run: NOT MEASURED at a terminal: its processes can't be kept together here");
    return [plain];
  }
  return [
    plain,
    {
      ...shared,
      name: "run: the same at a terminal, view and host, of `node -e 0` (CPU)",
      must: 3.2,
      aim: 2.6,
      baseline: () => cpuOfAll(atTerminal("node -e 0"), TIMES, env),
      subject: () => cpuOfAll(`cd ${workspace}; ${atTerminal(command)}`, TIMES, env),
    },
  ];
}
