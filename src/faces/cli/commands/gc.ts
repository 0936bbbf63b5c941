import { AppError } from "../../../contract/errors.ts";
import { formatAge, formatBytes, plural } from "../../../contract/words/figures.ts";
import { readConfig } from "../../../core/config/config-file.ts";
import { type Collected, collect } from "../../../core/runs/gc/collect.ts";
import type { GcLimits } from "../../../core/runs/gc/plan.ts";
import { homeAt, homePath } from "../../../core/store/home.ts";
import { heal } from "../../../core/tasks/heal.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { parseDuration } from "../../../lib/command/duration.ts";
import { renderTable } from "../../../lib/command/table.ts";
import { oneLine, printableJson } from "../../../lib/text/printable.ts";
import { sayNotHealed, sayPassedOver } from "../told-aside.ts";

const DEFAULT_AGE_MS = 30 * 86_400_000;

export default command({
  name: "gc",
  summary: "Delete old runs, and worktrees that nobody needs any more.",
  usage: "cox gc [options]",
  words: [0, 0],
  options: {
    "older-than": { value: "TIME", help: "runs that ended longer ago; 30d if no other limit is given" },
    keep: { value: "N", help: "all but the newest N" },
    "max-size": { value: "SIZE", help: "the oldest, until the rest fits (500M, 5G)" },
    "dry-run": { short: "n", help: "only say what would go" },
    force: { help: "worktrees go even with work that is nowhere else" },
    json: { help: "print what went as one JSON object" },
  },
  examples: ["cox gc --dry-run", "cox gc --keep 100 --max-size 5G"],
  async run({ values }, context) {
    const limits = limitsOf(values);
    const home = homeAt(homePath(context.env));
    await heal(home, context.clock, sayNotHealed(context));
    const { "worktree.teardown": teardown } = await readConfig(home.root);
    const wishes = { force: values.force === true, dryRun: values["dry-run"] === true, teardown };
    const collected = await collect(home, limits, wishes, context.clock.now());
    sayPassedOver(context, home);
    if (values.json) context.stdout.write(`${printableJson({ dry_run: wishes.dryRun, ...collected })}\n`);
    else say(context, collected, wishes.dryRun);
    return collected.left.length > 0 ? 1 : 0;
  },
});

function say(
  { stdout, stderr, clock }: Context,
  { runs, worktrees, bytes, left, notices }: Collected,
  dryRun: boolean,
): void {
  const age = (ended: string) => `${formatAge(clock.now() - Date.parse(ended))} ago`;
  const rows = [
    ...runs.map(({ run_id, project, task, bytes, ended }) => [
      run_id,
      age(ended),
      formatBytes(bytes),
      `${project}/${task}`,
    ]),
    ...worktrees
      .filter(({ removed }) => removed)
      .map(({ project, task, bytes }) => ["worktree", "", formatBytes(bytes), `${project}/${task}`]),
  ];
  if (rows.length > 0) stdout.write(renderTable(rows));
  const gone = worktrees.filter(({ removed }) => removed).length;
  const trees = gone === 0 ? "" : ` and ${plural(gone, "worktree")}`;
  stderr.write(`${dryRun ? "would delete" : "deleted"} ${plural(runs.length, "run")}${trees}, ${formatBytes(bytes)}\n`);
  for (const { project, task, why } of worktrees.filter(({ removed }) => !removed)) {
    stderr.write(`kept the worktree of ${project}/${task}: ${oneLine(why ?? "")}\n`);
  }
  for (const { why } of left) stderr.write(`not deleted: ${oneLine(why)}\n`);
  for (const notice of notices) stderr.write(`${oneLine(notice)}\n`);
}

function limitsOf(values: { "older-than"?: string; keep?: string; "max-size"?: string }): GcLimits {
  const limits: GcLimits = {};
  if (values["older-than"] !== undefined) limits.olderThanMs = parseDuration("--older-than", values["older-than"]);
  if (values.keep !== undefined) limits.keep = countOf(values.keep);
  if (values["max-size"] !== undefined) limits.maxBytes = sizeOf(values["max-size"]);
  return Object.keys(limits).length === 0 ? { olderThanMs: DEFAULT_AGE_MS } : limits;
}

function countOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new AppError("usage.invalid", `--keep ${JSON.stringify(text)}: not a number of runs`);
}

function sizeOf(text: string): number {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)\s*([KMGT]?)B?$/i.exec(text.trim()) ?? [];
  if (number !== undefined) return Number(number) * 1024 ** " KMGT".indexOf(unit.toUpperCase() || " ");
  throw new AppError("usage.invalid", `--max-size ${JSON.stringify(text)}: not a size; use 500M or 5G`);
}
