import { AppError } from "../../../contract/errors.ts";
import { requireName } from "../../../contract/ids.ts";
import { type BudgetLimits, checkBudget, type Spent } from "../../../contract/runs/budget.ts";
import { formatCount, formatDuration, formatExactCost } from "../../../contract/words/figures.ts";
import { readConfig } from "../../../core/config/config-file.ts";
import { projectOf } from "../../../core/runner/workspace/workspace.ts";
import {
  isMoment,
  type ProjectBudget,
  readProjectBudget,
  writeProjectBudget,
} from "../../../core/store/budget-file.ts";
import { homeAt, homePath, openHome } from "../../../core/store/home.ts";
import { spentInProject } from "../../../core/store/ledger/spent.ts";
import { type CommandInput, type Context, command } from "../../../lib/command/command.ts";
import { group } from "../../../lib/command/group.ts";
import { renderTable } from "../../../lib/command/table.ts";
import { printableJson } from "../../../lib/text/printable.ts";
import { budgetOptions, limitsOf, timeOption } from "../term-options.ts";

const limitNames = ["max-cost", "max-tokens", "max-turns", "max-time"] as const;
const project = { value: "NAME", help: "project; default: the git repository's name" } as const;
const setOptions = {
  project,
  ...budgetOptions,
  ...timeOption,
  since: { value: "DATE", help: "count runs that began since then (2026-08-01, or now)" },
} as const;

type SetValues = CommandInput<typeof setOptions>["values"];

const showCommand = command({
  name: "budget show",
  summary: "Show what a project may spend, and has spent.",
  usage: "cox budget show [--project NAME] [--json]",
  examples: ["cox budget show --project shop"],
  words: [0, 0],
  options: { project, json: { help: "print JSON" } },
  run: async ({ values }, context) => show(await projectNamed(values, context), values, context),
});

const setCommand = command({
  name: "budget set",
  summary: "Say what a project's runs may spend together.",
  usage: "cox budget set [--project NAME] [--max-cost USD] ... [--since DATE]",
  words: [0, 0],
  options: setOptions,
  examples: [
    "cox budget set --max-cost 20 --max-time 8h",
    "cox budget set --max-cost none                     no limit any more",
    "cox budget set --since now                         count from here on",
  ],
  run: async ({ values }, context) => set(await projectNamed(values, context), values, context),
});

export default group({
  name: "budget",
  summary: "What a project's runs may spend together, and what they have spent.",
  verbs: { show: showCommand, set: setCommand },
  examples: ["cox budget set --max-cost 20 --max-time 8h", "cox budget show --project web"],
});

async function projectNamed(values: { project?: string }, { env, cwd }: Context): Promise<string> {
  const config = await readConfig(homePath(env));
  return requireName("project", values.project ?? config.project ?? env.JRUN_PROJECT_ID ?? projectOf(cwd));
}

/** What isn't named stays as it was. */
function set(project: string, values: SetValues, context: Context): number {
  if (context.env.COX_RUN_ID !== undefined) {
    throw new AppError("usage.invalid", "cox budget set: a run can't change what it may spend; ask a person to");
  }
  const given = limitNames.filter((name) => values[name] !== undefined);
  if (given.length === 0 && values.since === undefined) {
    throw new AppError(
      "usage.invalid",
      "cox budget set: say what to limit: --max-cost, --max-tokens, --max-turns or --max-time",
    );
  }
  const home = openHome(homePath(context.env));
  const before = readProjectBudget(home, project);
  const removed = given.filter((name) => values[name] === "none");
  const wanted = Object.fromEntries(given.flatMap((name) => (removed.includes(name) ? [] : [[name, values[name]]])));
  const limits = { ...before?.limits, ...defined(limitsOf(wanted)) };
  for (const name of removed) delete limits[limitKeys[name]];
  const since = values.since === undefined ? before?.since : moment(values.since, context.clock.now());
  writeProjectBudget(home, project, { since: since ?? new Date(context.clock.now()).toISOString(), limits });
  return show(project, {}, context);
}

const limitKeys = {
  "max-cost": "maxCostUsd",
  "max-tokens": "maxTokens",
  "max-turns": "maxTurns",
  "max-time": "maxTimeMs",
} as const;

const defined = (limits: BudgetLimits | undefined): BudgetLimits =>
  Object.fromEntries(Object.entries(limits ?? {}).filter(([, limit]) => limit !== undefined));

function moment(text: string, now: number): string {
  if (text === "now") return new Date(now).toISOString();
  if (isMoment(text)) return new Date(text).toISOString();
  throw new AppError("usage.invalid", `--since ${JSON.stringify(text)}: not a date; use 2026-08-01, or now`);
}

function show(project: string, values: { json?: boolean }, { env, stdout, clock }: Context): number {
  const home = homeAt(homePath(env));
  const budget = readProjectBudget(home, project);
  const spent = spentInProject(home, { project, since: budget?.since ?? "" }, clock.now());
  if (values.json) stdout.write(`${printableJson({ project, ...budget, spent })}\n`);
  else stdout.write(budget === undefined ? withoutBudget(project, spent) : withBudget(project, budget, spent));
  return 0;
}

function withoutBudget(project: string, spent: Spent): string {
  const { costUsd, tokens, turns, timeMs } = spent;
  const figures = [formatExactCost(costUsd), `${formatCount(tokens)} tokens`, `${turns} turns`, formatDuration(timeMs)];
  return `project ${project} has no budget; so far it has spent ${figures.join(", ")}\n`;
}

function withBudget(project: string, { since, limits }: ProjectBudget, spent: Spent): string {
  const { level } = checkBudget(limits, spent);
  const states = { ok: "", near: ": nearly used up", over: ": used up, no run is started" };
  const rows = [
    ["cost", formatExactCost(spent.costUsd), amount(limits.maxCostUsd, formatExactCost)],
    ["tokens", formatCount(spent.tokens), amount(limits.maxTokens, formatCount)],
    ["turns", String(spent.turns), amount(limits.maxTurns, String)],
    ["time", formatDuration(spent.timeMs), amount(limits.maxTimeMs, formatDuration)],
  ];
  return `project ${project}, since ${since}${states[level]}\n${renderTable(rows)}`;
}

const amount = (limit: number | undefined, format: (value: number) => string) =>
  limit === undefined ? "no limit" : `of ${format(limit)}`;
