import { AppError } from "../../../contract/errors.ts";
import { runName } from "../../../contract/ids.ts";
import type { RunSummary } from "../../../contract/runs/run.ts";
import { stateOf, stateWords } from "../../../core/runs/run-state.ts";
import { type Home, homeAt, homePath } from "../../../core/store/home.ts";
import { runsBackward } from "../../../core/store/ledger/ledger.ts";
import { readClaims } from "../../../core/store/runs/claims.ts";
import { findRun } from "../../../core/store/runs/find-run.ts";
import { descendants } from "../../../core/store/runs/lineage.ts";
import { heal } from "../../../core/tasks/heal.ts";
import { fit } from "../../../lib/command/columns.ts";
import { command } from "../../../lib/command/command.ts";
import { oneLine, printableJson } from "../../../lib/text/printable.ts";
import { sayNotHealed, sayPassedOver } from "../told-aside.ts";

/** Families that are shown without being asked for, beside those of which somebody lives. */
const RECENT = 20;

export default command({
  name: "tree",
  summary: "Show runs with the runs they started: the living and the latest.",
  usage: "cox tree [--all] [RUN]",
  examples: ["cox tree latest"],
  words: [0, 1],
  options: {
    all: { help: "all that there were" },
    json: { help: "print the runs as JSON lines, each with its parent" },
  },
  async run({ values, positionals }, context) {
    const { env, stdout, stderr, clock } = context;
    const home = homeAt(homePath(env));
    await heal(home, clock, sayNotHealed(context));
    const top = topOf(home, positionals[0], env.COX_RUN_ID);
    const live = new Set(readClaims(home).map(({ runId }) => runId));
    const families = treesOf(runsSince(home, top).toReversed(), top);
    const shown = values.all ? families : recentOf(families, live);
    const tree = shown.flat();
    sayPassedOver(context, home);
    if (values.json) {
      for (const { run } of tree) stdout.write(`${printableJson(run)}\n`);
      return 0;
    }
    if (tree.length === 0) stderr.write('no runs; start one with `cox run "…"`\n');
    for (const { run, lead } of tree) {
      const state = stateWords(home, run, stateOf(home, run, live));
      const line = `${lead}${runName(run)}  ${oneLine(run.agent)}  ${state}  ${oneLine(run.title)}`;
      stdout.write(`${fit(line, stdout.columns || Number.POSITIVE_INFINITY)}\n`);
    }
    const more = families.length - shown.length;
    if (more > 0) stderr.write(`${more} more: cox tree --all\n`);
    return 0;
  },
});

/** An agent sees its own family: itself, and what came of it. */
function topOf(home: Home, name: string | undefined, own: string | undefined): string | undefined {
  if (own === undefined || own === "") return name === undefined ? undefined : findRun(home, name).run_id;
  if (name === undefined) return own;
  const { run_id } = findRun(home, name);
  if (run_id === own || descendants(home, own).some((run) => run.run_id === run_id)) return run_id;
  throw new AppError("run.not_found", `run ${name}: is neither yours nor one that you started`);
}

/** The newest first: all of them, or all since one run began. What it started came after it. */
function runsSince(home: Home, since: string | undefined): RunSummary[] {
  const runs: RunSummary[] = [];
  for (const run of runsBackward(home)) {
    runs.push(run);
    if (run.run_id === since) break;
  }
  return runs;
}

function recentOf(families: readonly Row[][], live: ReadonlySet<string>): Row[][] {
  return families.filter(
    (family, i) => i >= families.length - RECENT || family.some(({ run }) => live.has(run.run_id)),
  );
}

interface Row {
  run: RunSummary;
  /** What is drawn before it. */
  lead: string;
}

/** Each root with all below it; a run whose parent is not among the listed ones is a root too. */
function treesOf(runs: readonly RunSummary[], top: string | undefined): Row[][] {
  const known = new Set(runs.map((run) => run.run_id));
  const children = new Map<string, RunSummary[]>();
  for (const run of runs) {
    const parent = run.parent !== undefined && known.has(run.parent) ? run.parent : "";
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [run]);
    else siblings.push(run);
  }
  const walk = (run: RunSummary, indent: string, branch: string): Row[] => {
    const below = children.get(run.run_id) ?? [];
    const next = indent + (branch === "" ? "" : branch.startsWith("└") ? "   " : "│  ");
    return [
      { run, lead: `${indent}${branch}` },
      ...below.flatMap((child, i) => walk(child, next, i === below.length - 1 ? "└─ " : "├─ ")),
    ];
  };
  const roots = top === undefined ? (children.get("") ?? []) : runs.filter((run) => run.run_id === top);
  return roots.map((run) => walk(run, "", ""));
}
