import { AppError } from "../../../contract/errors.ts";
import { addSpent, checkBudget, type GivenBudget, nothingSpent, type Spent } from "../../../contract/runs/budget.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import { readProjectBudget } from "../../store/budget-file.ts";
import type { Home } from "../../store/home.ts";
import { spentByDescendants, spentInProject } from "../../store/ledger/spent.ts";
import type { Budget } from "./budget.ts";

/** The budgets that hold for a run. A project whose own is used up starts nothing. */
export function budgetsFor(
  home: Home,
  project: string,
  given: GivenBudget | undefined,
  clock: Clock,
): readonly Budget[] {
  const budgets: Budget[] = [];
  if (given !== undefined) budgets.push(givenBudget(home, given, clock));
  const own = projectBudget(home, project, clock);
  if (own !== undefined) budgets.push(own);
  return budgets;
}

/** What a run's agent starts is paid by the run. */
function givenBudget(home: Home, { of, limits, spent }: GivenBudget, clock: Clock): Budget {
  const below = lately(clock, (runId) => spentByDescendants(home, runId, clock.now()));
  return { of, limits, before: (runId) => addSpent(spent, below(runId)) };
}

function projectBudget(home: Home, project: string, clock: Clock): Budget | undefined {
  const budget = readProjectBudget(home, project);
  if (budget === undefined) return undefined;
  const { limits, since } = budget;
  const spent = spentInProject(home, { project, since }, clock.now());
  const { level, text } = checkBudget(limits, spent);
  if (level === "over") {
    const message = `project ${project}: its budget is used up: ${text} since ${since}; raise it with \`cox budget set --project ${project}\``;
    throw new AppError("limit.exceeded", message, { project });
  }
  const others = lately(clock, (runId) => spentInProject(home, { project, since, besides: runId }, clock.now()));
  return { of: `project ${project}`, limits, before: others };
}

/** Others spend at the same time. What they have spent is looked up now and then, not at every event. */
function lately(clock: Clock, look: (runId: string) => Spent): (runId: string) => Spent {
  let last = { at: Number.NEGATIVE_INFINITY, spent: nothingSpent };
  return (runId) => {
    if (clock.monotonic() - last.at >= LOOK_MS) last = { at: clock.monotonic(), spent: look(runId) };
    return last.spent;
  };
}

const LOOK_MS = 10_000;
