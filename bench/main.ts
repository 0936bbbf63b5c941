import { parseArgs } from "node:util";
import { bus } from "./figures/bus.bench.ts";
import { cli } from "./figures/cli.bench.ts";
import { history } from "./figures/history.bench.ts";
import { host } from "./figures/host.bench.ts";
import { open } from "./figures/open.bench.ts";
import { operator } from "./figures/operator.bench.ts";
import { run } from "./figures/run.bench.ts";
import { runFiles } from "./figures/run-files.bench.ts";
import { runStart } from "./figures/run-start.bench.ts";
import { server } from "./figures/server.bench.ts";
import { latency } from "./figures/server-latency.bench.ts";
import { sessions } from "./figures/sessions.bench.ts";
import { stream } from "./figures/stream.bench.ts";
import { terminal } from "./figures/terminal.bench.ts";
import { translators } from "./figures/translators.bench.ts";
import { changes } from "./measure/check.ts";
import { compare } from "./measure/compare.ts";
import type { Comparison, Figure } from "./measure/figure.ts";
import { changeWords, figureLine } from "./measure/lines.ts";
import { idleShare, newestAlike, savedResults, saveResult, thisMachine } from "./measure/result.ts";

/**
 * `npm run bench [GROUP] [WORD]`: only the groups, and of them the figures, whose names contain these.
 * --quick    those of the groups that say most in under a minute
 * --check    nothing fails but what is slower than the newest saved result of a machine like this one
 * --save     all of them, kept in bench/results; only on a machine that does nothing else
 */
interface Group {
  load: () => Comparison[] | Promise<Comparison[]>;
  quick?: true;
}

const groups: Record<string, Group> = {
  run: { load: run, quick: true },
  runStart: { load: runStart, quick: true },
  runFiles: { load: runFiles, quick: true },
  cli: { load: cli, quick: true },
  stream: { load: stream, quick: true },
  translators: { load: translators, quick: true },
  sessions: { load: sessions },
  open: { load: open },
  bus: { load: bus },
  host: { load: host },
  terminal: { load: terminal },
  server: { load: server },
  serverLatency: { load: latency },
  operator: { load: operator },
  history: { load: history },
};

const NOTHING_ALIKE = "check: NOTHING TO COMPARE WITH: no saved result is of a machine and a Node like these";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean" }, check: { type: "boolean" }, save: { type: "boolean" } },
});
// What was started ends with us.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.exit(await main());

async function main(): Promise<number> {
  const { quick = false, check = false, save = false } = values;
  if (save && (quick || positionals.length > 0)) return refuse("--save keeps all figures: leave out --quick and names");
  if (save && (await idleShare()) < 0.9) return refuse("--save: this machine is busy; its figures would say nothing");
  const saved = check ? newestAlike(savedResults(), { machine: thisMachine(), node: process.version }) : undefined;
  if (check)
    console.log(saved === undefined ? NOTHING_ALIKE : `check: beside ${saved.commit} of ${saved.at.slice(0, 10)}`);
  const figures = await measureAll(quick, saved?.figures ?? []);
  if (save) console.log(`saved as ${saveResult(figures)}`);
  if (!check) return Number(figures.some(({ verdict }) => verdict === "MISSED"));
  return Number(changes(figures, saved?.figures ?? []).some(({ verdict }) => verdict === "SLOWER"));
}

async function measureAll(quick: boolean, before: readonly Figure[]): Promise<Figure[]> {
  const [group = "", word = ""] = positionals;
  const figures: Figure[] = [];
  for (const [name, { load, quick: isQuick }] of Object.entries(groups)) {
    if (!name.includes(group) || (quick && !isQuick)) continue;
    for (const comparison of await load()) {
      if (!comparison.name.includes(word)) continue;
      const figure = await measured(comparison, quick, before);
      const [change] = changes([figure], before);
      console.log(`${figureLine(figure)}${change === undefined ? "" : changeWords(change)}`);
      figures.push(figure);
    }
  }
  return figures;
}

/** What seems slower than before is measured once more, in all its rounds: the machine may have changed in the middle. */
async function measured(comparison: Comparison, quick: boolean, before: readonly Figure[]): Promise<Figure> {
  const figure = await compare(comparison, { quick });
  const isSlower = changes([figure], before).some(({ verdict }) => verdict === "SLOWER");
  return isSlower ? compare(comparison) : figure;
}

function refuse(why: string): number {
  console.error(`bench: ${why}`);
  return 2;
}
