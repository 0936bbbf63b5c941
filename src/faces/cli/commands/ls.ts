import { AppError } from "../../../contract/errors.ts";
import type { RunSummary } from "../../../contract/runs/run.ts";
import { formatAge, formatCost, formatDuration } from "../../../contract/words/figures.ts";
import { type RunState, shortId, stateOf, stateWords } from "../../../core/runs/run-state.ts";
import { type Home, homeAt, homePath } from "../../../core/store/home.ts";
import { readClaims } from "../../../core/store/runs/claims.ts";
import { runsBackward } from "../../../core/store/runs/ledger.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { renderTable, withoutSpare } from "../../../lib/command/table.ts";
import { oneLine, printableJson } from "../../../lib/text/printable.ts";

const LIMIT = 20;
/** What a narrow terminal goes without. */
const SPARE = ["COST", "TURNS", "TIME", "AGE", "AGENT"];
const STATUSES = ["running", "completed", "failed", "waiting"] as const;

export default command({
  name: "ls",
  summary: "List runs, the newest first.",
  usage: "cox ls [options]",
  words: [0, 0],
  options: {
    limit: { short: "n", value: "N", help: `how many (${LIMIT})` },
    project: { value: "NAME", help: "only runs of this project" },
    status: { value: "STATUS", help: "only running, waiting, completed or failed ones" },
    json: { help: "print the runs as JSON lines" },
  },
  examples: ["cox ls --status waiting      who needs an answer", "cox ls --json | jq -r .run_id"],
  async run({ values }, context) {
    const home = homeAt(homePath(context.env));
    const live = await liveRuns(home, context);
    const rows = select(home, live, {
      limit: limitOf(values.limit),
      project: values.project,
      status: statusOf(values.status),
    });
    if (rows.some(({ run }) => run.title === "")) {
      const { firstWords } = await import("../first-words.ts");
      for (const row of rows) if (row.run.title === "") row.run = { ...row.run, title: firstWords(home, row.run) };
    }
    const now = context.clock.now();
    if (values.json) {
      for (const { run, state, reason } of rows) {
        context.stdout.write(`${printableJson({ ...run, state, reason })}\n`);
      }
      return 0;
    }
    if (rows.length === 0) context.stderr.write('no runs; start one with `cox run "…"`\n');
    else context.stdout.write(renderRuns(home, rows, now, context.stdout.isTTY ? context.stdout.columns : undefined));
    return 0;
  },
});

interface Row {
  run: RunSummary;
  state: RunState;
  reason: string;
}

/** Runs whose host died are ended first. Where there are no hosts, nothing of that is loaded. */
async function liveRuns(home: Home, { clock }: Context): Promise<Set<string>> {
  const claims = readClaims(home);
  if (claims.length === 0) return new Set();
  const { isGone } = await import("../../../lib/process/holders/holder.ts");
  const healthy = claims.every(({ claim, file }) => claim !== undefined && file.endsWith(".json") && !isGone(claim));
  if (healthy) return new Set(claims.map(({ runId }) => runId));
  const { heal } = await import("../../../core/tasks/heal.ts");
  await heal(home, clock);
  return new Set(readClaims(home).map(({ runId }) => runId));
}

interface Wanted {
  limit: number;
  project: string | undefined;
  status: (typeof STATUSES)[number] | undefined;
}

function select(home: Home, live: ReadonlySet<string>, { limit, project, status }: Wanted): Row[] {
  const rows: Row[] = [];
  for (const run of runsBackward(home)) {
    if (rows.length === limit) break;
    if (project !== undefined && run.project !== project) continue;
    if (status === "completed" && run.end?.status !== "completed") continue;
    const row = { run, ...stateOf(home, run, live) };
    if (status === undefined || isOf(row.state, status)) rows.push(row);
  }
  return rows;
}

function isOf(state: RunState, status: (typeof STATUSES)[number]): boolean {
  if (status === "running") return state === "running" || state === "waiting" || state === "idle";
  return status === "failed" ? state === "failed" || state === "lost" : state === status;
}

function renderRuns(home: Home, rows: readonly Row[], now: number, width: number | undefined): string {
  const head = ["RUN", "AGENT", "STATE", "AGE", "TIME", "TURNS", "COST", "TITLE"];
  const ids = new Set(rows.map(({ run }) => shortId(run.run_id)));
  const id = ids.size === rows.length ? shortId : (runId: string) => runId;
  const cells = rows.map(({ run, state, reason }) => [
    id(run.run_id),
    oneLine(run.agent),
    stateWords(home, run, { state, reason }),
    formatAge(now - Date.parse(run.at)),
    state === "lost"
      ? "-"
      : formatDuration((run.end === undefined ? now : Date.parse(run.end.at)) - Date.parse(run.at)),
    run.end === undefined ? "-" : String(run.end.turns),
    formatCost(run.end?.cost_usd ?? 0) || "-",
    oneLine(run.title),
  ]);
  const table = [head, ...cells];
  return renderTable(width === undefined ? table : withoutSpare(table, width, SPARE), width);
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return LIMIT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new AppError("usage.invalid", `cox ls: --limit ${JSON.stringify(text)}: not a number above 0`);
}

function statusOf(text: string | undefined): Wanted["status"] {
  if (text === undefined) return undefined;
  const status = STATUSES.find((candidate) => candidate === text);
  if (status !== undefined) return status;
  throw new AppError("usage.invalid", `cox ls: --status ${text}: unknown; choose ${STATUSES.join(", ")}`);
}
