import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { BudgetLimits } from "../../contract/runs/budget.ts";
import { writeFileAtomic } from "../../lib/files/atomic-file.ts";
import { diskError, errnoOf } from "../../lib/files/disk-error.ts";
import { type Home, projectFolder } from "./home.ts";

/** `projects/<project>/budget.yaml`, written by a person. */
export interface ProjectBudget {
  /** Runs that began before don't count. */
  since: string;
  limits: BudgetLimits;
}

const limitKeys = {
  max_cost_usd: "maxCostUsd",
  max_tokens: "maxTokens",
  max_turns: "maxTurns",
  max_time_ms: "maxTimeMs",
} as const satisfies Record<string, keyof BudgetLimits>;

const budgetPath = (home: Home, project: string) => join(projectFolder(home, project), "budget.yaml");

export function writeProjectBudget(home: Home, project: string, { since, limits }: ProjectBudget): void {
  const lines = Object.entries(limitKeys).flatMap(([key, name]) => {
    const limit = limits[name];
    return limit === undefined ? [] : [`${key}: ${limit}\n`];
  });
  const folder = projectFolder(home, project);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("set the budget", folder, error);
  }
  writeFileAtomic(budgetPath(home, project), `since: ${JSON.stringify(since)}\n${lines.join("")}`);
}

export function removeProjectBudget(home: Home, project: string): void {
  rmSync(budgetPath(home, project), { force: true });
}

/** `undefined` when nobody set one. A line that can't be read is an error: a limit must not vanish by a typing mistake. */
export function readProjectBudget(home: Home, project: string): ProjectBudget | undefined {
  const path = budgetPath(home, project);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw new AppError("config.invalid", `${path}: can't be read (${errnoOf(error)})`, { path }, { cause: error });
  }
  const limits: BudgetLimits = {};
  let since = "";
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, key = "", value = ""] = /^(\w+):\s*(.+?)\s*$/.exec(line) ?? [];
    if (key === "since" && isMoment(unquoted(value))) since = new Date(unquoted(value)).toISOString();
    else if (isLimitKey(key) && Number(value) > 0) limits[limitKeys[key]] = Number(value);
    else throw invalid(path, index + 1);
  }
  return { since, limits };
}

export const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text));

const isLimitKey = (key: string): key is keyof typeof limitKeys => Object.hasOwn(limitKeys, key);
const unquoted = (text: string) => text.replace(/^(["'])(.*)\1$/, "$2");

function invalid(path: string, line: number): AppError {
  const keys = Object.keys(limitKeys).join(", ");
  return new AppError("config.invalid", `${path}, line ${line}: not a budget; it has since (a date) and ${keys}`);
}
