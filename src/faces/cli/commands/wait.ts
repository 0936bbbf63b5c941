import { AppError } from "../../../contract/errors.ts";
import { endingOf, exitCodeOfRun } from "../../../contract/runs/ending.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { homeAt, homePath } from "../../../core/store/home.ts";
import { findRun } from "../../../core/store/runs/find-run.ts";
import { readRunInfo } from "../../../core/store/runs/run-info.ts";
import { heal } from "../../../core/tasks/heal.ts";
import { command } from "../../../lib/command/command.ts";
import { parseDuration } from "../../../lib/command/duration.ts";
import { printableJson } from "../../../lib/text/printable.ts";
import { runSocket } from "../run-socket.ts";

const POLL_MS = 200;
const HEAL_EVERY = 25;

export default command({
  name: "wait",
  summary: "Wait until runs have ended.",
  usage: "cox wait RUN… [--timeout TIME]",
  options: {
    timeout: { value: "TIME", help: "give up after this long (exit code 124)" },
    json: { help: "print each run's record as a line of JSON" },
  },
  examples: ['cox wait $(cox run -d "first") $(cox run -d "second")'],
  async run({ values, positionals }, context) {
    if (positionals.length === 0) throw new AppError("usage.invalid", "cox wait: which run? usage: cox wait RUN…");
    const { env, stdout, clock } = context;
    const socket = runSocket(env);
    if (socket !== undefined) {
      return (await import("../through-socket.ts")).waitThroughSocket(socket, values, positionals, context);
    }
    const home = homeAt(homePath(env));
    const runs = positionals.map((name) => findRun(home, name));
    const limitMs =
      values.timeout === undefined ? Number.POSITIVE_INFINITY : parseDuration("--timeout", values.timeout);
    const deadline = clock.monotonic() + limitMs;
    let worst = 0;
    for (const run of runs) {
      const info = await ended(run.paths.info, deadline);
      if (info === undefined) throw new AppError("timeout", `run ${run.run_id}: still runs after ${values.timeout}`);
      stdout.write(values.json ? `${printableJson(info)}\n` : `${run.run_id} ${endingOf(info)}\n`);
      worst = Math.max(worst, exitCodeOfRun(info));
    }
    return worst;

    async function ended(path: string, until: number): Promise<RunInfo | undefined> {
      for (let looks = 0; ; looks += 1) {
        if (looks % HEAL_EVERY === 0) await heal(home, clock); // a lost host ends nothing by itself
        const info = readRunInfo(path);
        if (info === undefined) throw new AppError("run.not_found", `${path}: is gone`);
        if (info.status !== "running") return info;
        if (clock.monotonic() >= until) return undefined;
        await clock.sleep(POLL_MS);
      }
    }
  },
});
