import { AppError } from "../../../contract/errors.ts";
import { runName } from "../../../contract/ids.ts";
import { endingOf, exitCodeOfRun } from "../../../contract/runs/ending.ts";
import { readInfo } from "../../../core/runs/run-access.ts";
import { readRecord } from "../../../core/runs/run-record.ts";
import { homeAt, homePath } from "../../../core/store/home.ts";
import { findRun } from "../../../core/store/runs/find-run.ts";
import { untilEnded } from "../../../core/store/runs/until-ended.ts";
import { heal } from "../../../core/tasks/heal.ts";
import { command } from "../../../lib/command/command.ts";
import { parseDuration } from "../../../lib/command/duration.ts";
import { printableJson } from "../../../lib/text/printable.ts";
import { runSocket } from "../run-socket.ts";
import { tellWaiting } from "../waiting-news.ts";

export default command({
  name: "wait",
  summary: "Wait until runs have ended; meanwhile it says whom they wait for.",
  usage: "cox wait RUN... [--timeout TIME]",
  options: {
    timeout: { value: "TIME", help: "give up after this long (exit code 124)" },
    "no-ask": { help: "where a person is asked something, wait no longer (exit code 3)" },
    json: { help: "print each run's record as a line of JSON" },
  },
  examples: ['cox wait $(cox run -d "first") $(cox run -d "second")'],
  async run({ values, positionals }, context) {
    if (positionals.length === 0) throw new AppError("usage.invalid", "cox wait: which run? usage: cox wait RUN...");
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
    const over = new AbortController();
    const untilAsked = values["no-ask"] === true;
    const asked = Promise.all(
      runs.map(async (run) => {
        const isAsking = await tellWaiting(run, context, { signal: over.signal, untilAsked });
        if (isAsking) over.abort(new AppError("run.asks", `run ${runName(run)} waits for a person`));
      }),
    );
    let worst = 0;
    try {
      for (const run of runs) {
        const live = () => (readInfo(run).status === "running" ? [run] : []);
        const left = await untilEnded(home, live, {
          clock,
          heal: () => heal(home, clock),
          limitMs: deadline - clock.monotonic(),
          signal: over.signal,
        });
        over.signal.throwIfAborted();
        if (left.length > 0) throw new AppError("timeout", `run ${runName(run)}: still runs after ${values.timeout}`);
        const info = readInfo(run);
        stdout.write(values.json ? `${printableJson(readRecord(home, run))}\n` : `${runName(run)} ${endingOf(info)}\n`);
        worst = Math.max(worst, exitCodeOfRun(info));
      }
    } finally {
      over.abort();
      await asked;
    }
    return worst;
  },
});
