import { AppError } from "../../../contract/errors.ts";
import { runName } from "../../../contract/ids.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { formatAge } from "../../../contract/words/figures.ts";
import { type NamedRun, openRun, tellRun, whenEnded } from "../../../core/runs/run-access.ts";
import { homeAt, homePath } from "../../../core/store/home.ts";
import { readClaims } from "../../../core/store/runs/claims.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { parseDuration } from "../../../lib/command/duration.ts";
import { paintFor } from "../../../lib/command/paint.ts";
import { renderClosing } from "../view/lines/closing-line.ts";

export default command({
  name: "stop",
  summary: "End runs: their agents are asked, then made to stop.",
  usage: "cox stop RUN... | cox stop --all",
  options: {
    grace: { value: "TIME", help: "how long the agent may take to end by itself (5s)" },
    all: { help: "all runs that are live" },
  },
  examples: ["cox stop latest", "cox stop --all --grace 30s"],
  async run({ values, positionals }, context) {
    if (values.all === true ? positionals.length > 0 : positionals.length === 0) {
      throw new AppError("usage.invalid", "cox stop: which runs? name them, or give --all; see `cox stop --help`");
    }
    const graceMs = values.grace === undefined ? undefined : parseDuration("--grace", values.grace);
    const runs: NamedRun[] = [];
    for (const name of values.all === true ? liveRuns(context) : positionals) runs.push(await openRun(context, name));
    if (runs.length === 0) context.stderr.write("no live runs\n");
    // All are told first, so that they end side by side.
    const endings = runs.map((named) => stop(named, graceMs, context));
    for (const [index, ending] of endings.entries()) {
      const { stdout, stderr, clock } = context;
      const page = { width: stdout.columns || 120, paint: paintFor(context) };
      const { info } = runs[index] ?? {};
      if (info !== undefined && info.status !== "running") {
        stderr.write(`${runName(info)} had ended already, ${formatAge(clock.now() - Date.parse(info.end_time))} ago\n`);
      }
      stdout.write(`${renderClosing(await ending, page).join("\n")}\n`);
    }
    return 0;
  },
});

function liveRuns({ env }: Context): string[] {
  return readClaims(homeAt(homePath(env))).map(({ runId }) => runId);
}

/** A run that has ended already, or ends just now, is what was wanted. */
async function stop(named: NamedRun, graceMs: number | undefined, context: Context): Promise<RunInfo> {
  try {
    await tellRun(named, { type: "stop", ...(graceMs === undefined ? {} : { graceMs }) }, context);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "run.not_live") throw error;
  }
  return whenEnded(named, context.clock);
}
