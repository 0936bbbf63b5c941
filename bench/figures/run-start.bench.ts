import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import type { Comparison } from "../measure/figure.ts";
import { demoSpec, temporary } from "../scenes/scene.ts";

const TRUE = "/bin/true";

/** From the call that starts a run (directory, run-info, ledger, capture files) to the moment the agent was executed. */
export async function runStart(): Promise<Comparison[]> {
  const real = childProcess.spawn;
  let executed = 0;
  childProcess.spawn = ((...args: Parameters<typeof real>) => {
    const child = real(...args);
    executed = performance.now();
    return child;
  }) as typeof real;
  syncBuiltinESMExports();
  const { startRun } = await import("../../src/core/runner/run.ts");
  const { folder } = temporary();
  const spec = demoSpec(folder, "");
  const quick = { ...spec, plan: { ...spec.plan, argv: [TRUE] } };
  return [
    {
      name: "run: call → exec over bare spawn",
      headline: true,
      must: 1.3,
      aim: 1.15,
      rounds: 60,
      async baseline() {
        const begin = performance.now();
        const child = real(TRUE, [], { stdio: ["pipe", "pipe", "pipe"], detached: true });
        const took = performance.now() - begin;
        await new Promise((resolve) => child.on("close", resolve));
        return took;
      },
      async subject() {
        const begin = performance.now();
        const run = startRun(quick);
        await run.ended;
        return executed - begin;
      },
    },
  ];
}
