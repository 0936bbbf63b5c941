import type { RunSummary } from "../../../contract/runs/run.ts";
import { stateOf, stateWords } from "../../../core/runs/run-state.ts";
import { type Home, homeAt, homePath } from "../../../core/store/home.ts";
import { readClaims } from "../../../core/store/runs/claims.ts";
import { findRun } from "../../../core/store/runs/find-run.ts";
import { runsBackward } from "../../../core/store/runs/ledger.ts";
import { heal } from "../../../core/tasks/heal.ts";
import { command } from "../../../lib/command/command.ts";
import { oneLine, printableJson } from "../../../lib/text/printable.ts";

const MOST = 1000;

export default command({
  name: "tree",
  summary: "Show runs with the runs they started.",
  usage: "cox tree [RUN]",
  words: [0, 1],
  options: { json: { help: "print the runs as JSON lines, each with its parent" } },
  async run({ values, positionals }, { env, stdout, stderr, clock }) {
    const home = homeAt(homePath(env));
    await heal(home, clock);
    const [name] = positionals;
    const top = name === undefined ? undefined : findRun(home, name).run_id;
    const runs = latestRuns(home, top);
    const tree = treeOf(runs.toReversed(), top);
    if (values.json) {
      for (const run of top === undefined ? runs : tree.map((row) => row.run)) stdout.write(`${printableJson(run)}\n`);
      return 0;
    }
    if (tree.length === 0) stderr.write('no runs; start one with `cox run "…"`\n');
    const live = new Set(readClaims(home).map(({ runId }) => runId));
    for (const { run, lead } of tree) {
      const state = stateWords(home, run, stateOf(home, run, live));
      stdout.write(`${lead}${run.run_id}  ${oneLine(run.agent)}  ${state}  ${oneLine(run.title)}\n`);
    }
    return 0;
  },
});

/** The newest first: some of them, or all since one run began. What it started came after it. */
function latestRuns(home: Home, since: string | undefined): RunSummary[] {
  const runs: RunSummary[] = [];
  for (const run of runsBackward(home)) {
    const count = runs.push(run);
    if (since === undefined ? count === MOST : run.run_id === since) break;
  }
  return runs;
}

/** Roots first; a run whose parent is not among the listed ones is a root too. `lead` is what is drawn before it. */
function treeOf(runs: readonly RunSummary[], top: string | undefined): { run: RunSummary; lead: string }[] {
  const known = new Set(runs.map((run) => run.run_id));
  const children = new Map<string, RunSummary[]>();
  for (const run of runs) {
    const parent = run.parent !== undefined && known.has(run.parent) ? run.parent : "";
    children.set(parent, [...(children.get(parent) ?? []), run]);
  }
  const rows: { run: RunSummary; lead: string }[] = [];
  const walk = (run: RunSummary, indent: string, branch: string) => {
    rows.push({ run, lead: `${indent}${branch}` });
    const below = children.get(run.run_id) ?? [];
    const next = indent + (branch === "" ? "" : branch.startsWith("└") ? "   " : "│  ");
    for (const [i, child] of below.entries()) walk(child, next, i === below.length - 1 ? "└─ " : "├─ ");
  };
  const roots = top === undefined ? (children.get("") ?? []) : runs.filter((run) => run.run_id === top);
  for (const run of roots) walk(run, "", "");
  return rows;
}
