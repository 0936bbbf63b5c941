import { bus, runFiles } from "./bus.bench.ts";
import { cli } from "./cli.bench.ts";
import { type Comparison, compare, printOutcome } from "./compare.ts";
import { host } from "./host.bench.ts";
import { open } from "./open.bench.ts";
import { operator } from "./operator.bench.ts";
import { runStart } from "./run-start.bench.ts";
import { server } from "./server.bench.ts";
import { latency } from "./server-latency.bench.ts";
import { sessions } from "./sessions.bench.ts";
import { stream } from "./stream.bench.ts";
import { terminal } from "./terminal.bench.ts";
import { translators } from "./translators.bench.ts";

/** `npm run bench [GROUP] [WORD]`: only the groups, and of them the figures, whose names contain these. */
const groups: Record<string, () => Comparison[] | Promise<Comparison[]>> = {
  runStart,
  runFiles,
  cli,
  stream,
  translators,
  sessions,
  open,
  bus,
  host,
  terminal,
  server,
  serverLatency: latency,
  operator,
};

const [, , wanted = "", figure = ""] = process.argv;
let missed = 0;
for (const [name, load] of Object.entries(groups)) {
  if (!name.includes(wanted)) continue;
  for (const comparison of await load()) {
    if (!comparison.name.includes(figure)) continue;
    const outcome = await compare(comparison);
    printOutcome(outcome);
    if (outcome.verdict === "MISSED") missed += 1;
  }
}
process.exit(missed === 0 ? 0 : 1);
