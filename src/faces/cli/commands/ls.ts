import { AppError } from "../../../contract/errors.ts";
import { runName } from "../../../contract/ids.ts";
import type { RunState } from "../../../contract/runs/record.ts";
import type { RunSummary } from "../../../contract/runs/run.ts";
import { formatAge, formatCost, formatDuration } from "../../../contract/words/figures.ts";
import { figuresOf, stateOf, stateWords } from "../../../core/runs/run-state.ts";
import { type Home, homeAt, homePath, openHome } from "../../../core/store/home.ts";
import { runsBackward } from "../../../core/store/ledger/ledger.ts";
import { type FoundClaim, readClaims } from "../../../core/store/runs/claims.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { renderTable, withoutSpare } from "../../../lib/command/table.ts";
import { oneLine, printableJson } from "../../../lib/text/printable.ts";
import { shellWords } from "../../../lib/text/shell-words.ts";
import { sayNotHealed, sayPassedOver } from "../told-aside.ts";

const LIMIT = 20;
/** What a narrow terminal goes without. */
const SPARE = ["COST", "TURNS", "TIME", "AGE", "AGENT"];
/** How many further ones are looked at to say how many there are. */
const COUNTED = 500;
const STATUSES = ["running", "waiting", "idle", "completed", "failed"] as const;

export default command({
  name: "ls",
  summary: "List runs, the newest first.",
  usage: "cox ls [options]",
  words: [0, 0],
  options: {
    limit: { short: "n", value: "N", help: `how many (${LIMIT})` },
    agent: { short: "a", value: "NAME", help: "only runs of this agent" },
    project: { value: "NAME", help: "only runs of this project" },
    status: {
      value: "STATUS",
      choices: STATUSES,
      help: "only running (at work), waiting (for you), idle, completed or failed ones",
    },
    watch: { short: "w", help: "follow them, until you leave with q" },
    json: { help: "print the runs as JSON lines" },
  },
  examples: [
    "cox ls --status waiting            who needs an answer",
    "cox ls --agent codex -n 100",
    "cox ls --watch",
    "cox ls --json | jq -r .run_id",
  ],
  async run({ values }, context) {
    const home = homeAt(homePath(context.env));
    const wanted: Wanted = {
      limit: limitOf(values.limit),
      agent: values.agent?.toLowerCase(),
      project: values.project,
      status: statusOf(values.status),
    };
    if (values.watch) return watch(wanted, context);
    const { rows, more } = await look(home, wanted, context);
    const now = context.clock.now();
    sayPassedOver(context, home);
    if (values.json) {
      for (const { run, state, reason } of rows) {
        context.stdout.write(`${printableJson({ ...run, state, reason })}\n`);
      }
      return 0;
    }
    if (rows.length === 0) context.stderr.write(nothing(wanted));
    else context.stdout.write(renderRuns(home, rows, now, context.stdout.isTTY ? context.stdout.columns : undefined));
    if (more > 0) context.stderr.write(moreOf(more, wanted));
    return 0;
  },
});

async function look(home: Home, wanted: Wanted, context: Context): Promise<{ rows: Row[]; more: number }> {
  const { rows, more } = select(home, await liveRuns(home, context), wanted);
  if (rows.some(({ run }) => run.title === "")) {
    const { firstWords } = await import("../../../core/runs/first-words.ts");
    for (const row of rows) if (row.run.title === "") row.run = { ...row.run, title: firstWords(home, row.run) };
  }
  return { rows, more };
}

async function watch(wanted: Wanted, context: Context): Promise<number> {
  const [{ requireTerminal }, { watchList }, { readConfig }] = await Promise.all([
    import("../view/terminal/full-screen.ts"),
    import("../view/watch-list.ts"),
    import("../../../core/config/config-file.ts"),
  ]);
  requireTerminal(context, "cox ls --watch", "`cox ls` prints the list once");
  const home = openHome(homePath(context.env));
  const table = async () => {
    const { rows, more } = await look(home, wanted, context);
    if (rows.length === 0) return () => "";
    return (width: number) =>
      renderRuns(home, rows, context.clock.now(), width) + (more === 0 ? "" : moreOf(more, wanted));
  };
  const { color } = await readConfig(home.root);
  return watchList(home, context, { look: table, empty: nothing(wanted).trim(), color });
}

interface Row {
  run: RunSummary;
  state: RunState;
  reason: string;
}

/** Runs whose host died are ended first. Where there are no hosts, nothing of that is loaded. */
async function liveRuns(home: Home, context: Context): Promise<Set<string>> {
  const claims = readClaims(home);
  if (claims.length === 0) return new Set();
  const { isGone } = await import("../../../lib/process/holders/holder.ts");
  const healthy = claims.every(({ claim, file }) => claim !== undefined && file.endsWith(".json") && !isGone(claim));
  if (healthy) return new Set(claims.map(({ runId }) => runId));
  const { heal } = await import("../../../core/tasks/heal.ts");
  await heal(home, context.clock, sayNotHealed(context));
  const isThere = ({ claim }: FoundClaim) => claim === undefined || !isGone(claim);
  return new Set(
    readClaims(home)
      .filter(isThere)
      .map(({ runId }) => runId),
  );
}

interface Wanted {
  limit: number;
  agent: string | undefined;
  project: string | undefined;
  status: (typeof STATUSES)[number] | undefined;
}

/** `more`: how many others fit; infinitely many when nobody counted them to the end. */
function select(home: Home, live: ReadonlySet<string>, wanted: Wanted): { rows: Row[]; more: number } {
  const { limit, agent, project, status } = wanted;
  const rows: Row[] = [];
  let looked = 0;
  let more = 0;
  for (const run of runsBackward(home)) {
    if (rows.length === limit) looked += 1;
    if (looked > COUNTED) return { rows, more: more === 0 ? 0 : Number.POSITIVE_INFINITY };
    if (agent !== undefined && run.agent !== agent) continue;
    if (project !== undefined && run.project !== project) continue;
    if (status === "completed" && run.end?.status !== "completed") continue;
    const row = { run, ...stateOf(home, run, live) };
    if (status !== undefined && !isOf(row.state, status)) continue;
    if (rows.length < limit) rows.push(row);
    else more += 1;
  }
  return { rows, more };
}

const isOf = (state: RunState, status: (typeof STATUSES)[number]): boolean =>
  state === status || (status === "failed" && state === "lost");

function moreOf(more: number, wanted: Wanted): string {
  const { limit } = wanted;
  const isCounted = Number.isFinite(more);
  const words = [...filtersIn(wanted), "-n", String(isCounted ? limit + more : limit * 10)];
  return `${isCounted ? `${more} more` : "many more"}: cox ls ${shellWords(words)}\n`;
}

function nothing(wanted: Wanted): string {
  const words = filtersIn(wanted);
  return words.length === 0 ? 'no runs; start one with `cox run "…"`\n' : `no runs with ${oneLine(words.join(" "))}\n`;
}

const filtersIn = ({ agent, project, status }: Wanted): string[] =>
  Object.entries({ agent, project, status }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );

function renderRuns(home: Home, rows: readonly Row[], now: number, width: number | undefined): string {
  const head = ["RUN", "AGENT", "STATE", "AGE", "TIME", "TURNS", "COST", "TITLE"];
  const cells = rows.map(({ run, state, reason }) => [
    runName(run),
    oneLine(run.agent),
    stateWords(home, run, { state, reason }),
    formatAge(now - Date.parse(run.at)),
    state === "lost"
      ? "-"
      : formatDuration((run.end === undefined ? now : Date.parse(run.end.at)) - Date.parse(run.at)),
    ...figuresIn(home, run),
    oneLine(run.title),
  ]);
  const table = [head, ...cells];
  return renderTable(width === undefined ? table : withoutSpare(table, width, SPARE), width);
}

/** Nothing of a first turn that goes on. */
function figuresIn(home: Home, run: RunSummary): [turns: string, cost: string] {
  const { turns = 0, cost_usd = 0 } = figuresOf(home, run) ?? {};
  return [turns === 0 && run.end === undefined ? "-" : String(turns), formatCost(cost_usd) || "-"];
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
