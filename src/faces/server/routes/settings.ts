import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { settingsRoutes } from "../../../contract/api/settings.ts";
import { AppError } from "../../../contract/errors.ts";
import { isName } from "../../../contract/ids.ts";
import { type BudgetLimits, checkBudget } from "../../../contract/runs/budget.ts";
import { listMessages } from "../../../core/notify/outbox.ts";
import {
  isMoment,
  type ProjectBudget,
  readProjectBudget,
  removeProjectBudget,
  writeProjectBudget,
} from "../../../core/store/budget-file.ts";
import type { Home } from "../../../core/store/home.ts";
import { spentInProject } from "../../../core/store/ledger/spent.ts";
import type { Handlers } from "../api/handlers.ts";
import type { ServerPorts } from "../ports.ts";

/** All but tokens, which belong to the door. */
type Key = Exclude<keyof typeof settingsRoutes, `${string} /tokens${string}`>;

export function settingsHandlers({ home, clock, notifySettings }: ServerPorts): Handlers<Key> {
  const item = (project: string, budget: ProjectBudget) => budgetItem(home, project, budget, clock.now());
  return {
    "GET /budgets": () => ({
      items: projectNames(home).flatMap((project) => {
        const budget = readProjectBudget(home, project);
        return budget === undefined ? [] : [item(project, budget)];
      }),
    }),
    "PUT /budgets/{project}": ({ params: { project }, body }) => {
      const before = readProjectBudget(home, project);
      const since = sinceOf(body.since) ?? before?.since ?? new Date(clock.now()).toISOString();
      const budget = { since, limits: limitsOf(body) };
      writeProjectBudget(home, project, budget);
      return item(project, budget);
    },
    "DELETE /budgets/{project}": ({ params: { project } }) => {
      removeProjectBudget(home, project);
      return undefined;
    },
    "GET /notifications": async () => {
      const messages = listMessages(home);
      const failed = messages.filter(({ state }) => state === "failed");
      return {
        channels: await notifySettings.channels(),
        waiting: messages.length - failed.length,
        failed: failed.map(({ channel, message, lastError }) => ({
          channel,
          title: message.text,
          error: lastError,
          at: message.time,
        })),
      };
    },
    "PUT /notifications/{channel}": async ({ params: { channel }, body }) => {
      await notifySettings.set(channel, body);
      return undefined;
    },
    "POST /notifications/test": async () => ({ items: await notifySettings.test() }),
  };
}

type Limits = { max_cost_usd?: number; max_tokens?: number; max_turns?: number; max_time_s?: number };

function limitsOf({ max_cost_usd, max_tokens, max_turns, max_time_s }: Limits): BudgetLimits {
  const maxTimeMs = max_time_s === undefined ? undefined : max_time_s * 1000;
  return { maxCostUsd: max_cost_usd, maxTokens: max_tokens, maxTurns: max_turns, maxTimeMs };
}

function budgetItem(home: Home, project: string, { since, limits }: ProjectBudget, now: number) {
  const spent = spentInProject(home, { project, since }, now);
  const { costUsd: cost_usd, tokens, turns, timeMs } = spent;
  const { maxCostUsd: max_cost_usd, maxTokens: max_tokens, maxTurns: max_turns, maxTimeMs } = limits;
  return {
    project,
    since,
    limits: { max_cost_usd, max_tokens, max_turns, max_time_s: maxTimeMs === undefined ? undefined : maxTimeMs / 1000 },
    spent: { cost_usd, tokens, turns, time_s: timeMs / 1000 },
    ...checkBudget(limits, spent),
  };
}

function sinceOf(text: string | undefined): string | undefined {
  if (text === undefined || isMoment(text)) return text === undefined ? undefined : new Date(text).toISOString();
  throw new AppError("usage.invalid", `since ${JSON.stringify(text)}: not a date; use 2026-08-01`);
}

function projectNames(home: Home): string[] {
  try {
    return readdirSync(join(home.root, "projects")).filter(isName).sort();
  } catch {
    return []; // nobody has run anything yet
  }
}
