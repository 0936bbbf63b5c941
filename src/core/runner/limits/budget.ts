import type { AgentEvent, EventOf } from "../../../contract/events.ts";
import {
  addSpent,
  type BudgetCheck,
  type BudgetLevel,
  type BudgetLimits,
  checkBudget,
  type Spent,
  spend,
  spentOf,
  startedSpending,
} from "../../../contract/runs/budget.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { EndCause } from "../ending/verdict.ts";

export interface Budget {
  /** As messages call it: `this run`, `this loop`, `project web`. */
  of: string;
  limits: BudgetLimits;
  /** What was spent of it besides what this run itself spends. */
  before(runId: string): Spent;
}

export interface BudgetReactions {
  /** Once for each budget and level. */
  tell(notice: EventOf<"notice">): void;
  over(cause: EndCause): void;
}

/** Counts what a run spends while it spends it, and says when that is near one of its budgets, or over. */
export class BudgetWatch {
  readonly #budgets: readonly Budget[];
  readonly #runId: string;
  readonly #clock: Clock;
  readonly #reactions: BudgetReactions;
  readonly #began: number;
  readonly #said = new Map<Budget, BudgetLevel>();
  readonly #timers: (() => void)[];
  #spending = startedSpending;

  constructor(budgets: readonly Budget[], runId: string, clock: Clock, reactions: BudgetReactions) {
    this.#budgets = budgets;
    this.#runId = runId;
    this.#clock = clock;
    this.#reactions = reactions;
    this.#began = clock.monotonic();
    this.#timers = budgets.flatMap((budget) => this.#watchTime(budget));
  }

  heard(event: AgentEvent): void {
    if (this.#budgets.length === 0) return;
    const before = this.#spending;
    this.#spending = spend(before, event);
    if (this.#spending !== before) this.#check();
  }

  end(): void {
    for (const takeBack of this.#timers) takeBack();
  }

  /** Time passes without events. */
  #watchTime(budget: Budget): (() => void)[] {
    const { maxTimeMs } = budget.limits;
    if (maxTimeMs === undefined) return [];
    const left = maxTimeMs - budget.before(this.#runId).timeMs;
    const moments = [left - maxTimeMs * 0.2, left].filter((ms) => ms > 0);
    return moments.map((ms) => this.#clock.after(Math.ceil(ms), () => this.#check(ms)));
  }

  /** `passed`: so much time is over, whatever the other clock says. Timers may come a fraction early, and there is no second one. */
  #check(passed = 0): void {
    const timeMs = Math.max(this.#clock.monotonic() - this.#began, passed);
    const own = { ...spentOf(this.#spending), timeMs };
    for (const budget of this.#budgets) {
      const found = checkBudget(budget.limits, addSpent(budget.before(this.#runId), own));
      const said = this.#said.get(budget) ?? "ok";
      if (found.level === "ok" || found.level === said || said === "over") continue;
      this.#said.set(budget, found.level);
      this.#react(budget, found);
    }
  }

  #react({ of }: Budget, { level, text }: BudgetCheck): void {
    const data = { of, level };
    if (level === "near") {
      return this.#reactions.tell({ type: "notice", code: "budget_near", text: `${of} has spent ${text}`, data });
    }
    const detail = `${of} has spent ${text}: the budget is used up`;
    this.#reactions.tell({ type: "notice", code: "budget_over", text: detail, data });
    this.#reactions.over({ by: "limit", reason: "budget", detail });
  }
}
