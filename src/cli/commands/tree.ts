import { printable } from "../../base/printable.ts";
import type { RunSummary } from "../../contract/run.ts";
import { findRun } from "../../store/find-run.ts";
import { homeAt, homePath } from "../../store/home.ts";
import { runsBackward } from "../../store/ledger.ts";
import { heal } from "../../tasks/heal.ts";
import { command } from "../command.ts";

const MOST = 1000;

export default command({
  name: "tree",
  summary: "Show runs with the runs they started.",
  usage: "cox tree [RUN]",
  options: { json: { help: "print the runs as JSON lines, each with its parent" } },
  async run({ values, positionals }, { env, stdout, clock }) {
    const home = homeAt(homePath(env));
    await heal(home, clock);
    const runs: RunSummary[] = [];
    for (const run of runsBackward(home)) if (runs.push(run) === MOST) break;
    const [name] = positionals;
    const top = name === undefined ? undefined : findRun(home, name).run_id;
    if (values.json) {
      for (const run of runs) stdout.write(`${JSON.stringify(run)}\n`);
      return 0;
    }
    stdout.write(treeOf(runs.toReversed(), top));
    return 0;
  },
});

/** Roots first; a run whose parent is not among the listed ones is a root too. */
export function treeOf(runs: readonly RunSummary[], top: string | undefined): string {
  const known = new Set(runs.map((run) => run.run_id));
  const children = new Map<string, RunSummary[]>();
  for (const run of runs) {
    const parent = run.parent !== undefined && known.has(run.parent) ? run.parent : "";
    children.set(parent, [...(children.get(parent) ?? []), run]);
  }
  const lines: string[] = [];
  const walk = (run: RunSummary, indent: string, branch: string) => {
    lines.push(`${indent}${branch}${lineOf(run)}\n`);
    const below = children.get(run.run_id) ?? [];
    const next = indent + (branch === "" ? "" : branch.startsWith("└") ? "   " : "│  ");
    for (const [i, child] of below.entries()) walk(child, next, i === below.length - 1 ? "└─ " : "├─ ");
  };
  const roots = top === undefined ? (children.get("") ?? []) : runs.filter((run) => run.run_id === top);
  for (const run of roots) walk(run, "", "");
  return lines.join("");
}

function lineOf(run: RunSummary): string {
  const state = run.end === undefined ? "running" : run.end.status + (run.end.reason && ` (${run.end.reason})`);
  return `${run.run_id}  ${run.agent}  ${state}  ${printable(run.title)}`;
}
