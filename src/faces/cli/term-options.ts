import { AppError } from "../../contract/errors.ts";
import { permissionModes } from "../../contract/requests/policy.ts";
import type { BudgetLimits } from "../../contract/runs/budget.ts";
import type { CommandInput, OptionSpec } from "../../lib/command/command.ts";
import { parseDuration } from "../../lib/command/duration.ts";

export const budgetOptions = {
  "max-cost": { value: "USD", help: "stop when this much is spent" },
  "max-tokens": { value: "N", help: "stop when this many tokens are used" },
  "max-turns": { value: "N", help: "stop after this many turns" },
} as const satisfies Record<string, OptionSpec>;

export const timeOption = { "max-time": { value: "TIME", help: "stop after this long in all" } } as const;

/** What a run can be told however it is started: for `cox run`, and kept by a task for its runs. */
export const termOptions = {
  agent: { short: "a", value: "NAME", help: "which agent; default: config, else the first one ready, else demo" },
  profile: { short: "p", value: "NAME", help: "agent, model, keys and policy under one name (see cox profile)" },
  fallback: { value: "A,B", help: "agents that take over when the first is not installed, logged in or paid" },
  model: { short: "m", value: "MODEL", help: "which model" },
  on: {
    value: "WHERE",
    choices: ["local", "sandbox", "container", "kubernetes"],
    help: "local, sandbox, container, kubernetes; default: its profile's, else local",
  },
  network: { value: "on|off", help: "in a sandbox or container: whether it has one (on)" },
  worktree: { short: "w", help: "work in a checkout and on a branch of the task's own" },
  base: { value: "REF", help: "with --worktree: begin at this branch or commit" },
  review: { help: "a person looks at it before it is done; so it is in a worktree" },
  "no-review": { help: "a completed run is done, a failed one failed" },
  timeout: { value: "TIME", help: "end the run after this long (90, 90s, 30m, 2h)" },
  "idle-timeout": { value: "TIME", help: "end the run when the agent is silent this long" },
  ...budgetOptions,
  permissions: {
    value: "MODE",
    choices: permissionModes,
    help: "ask (default), allow or deny what the agent asks for",
  },
  "clean-env": { help: "give the agent a minimal environment, not yours" },
  "no-tools": { help: "don't give the agent tools for the bus, questions and children" },
  "no-preamble": { help: "don't tell the agent about its run, the bus and children" },
} as const satisfies Record<string, OptionSpec>;

/** Its value may be secret: for one run, and never kept. */
export const envOption = {
  env: { short: "e", value: "K=V", repeat: true, help: "set a variable for the agent (repeatable)" },
} as const satisfies Record<string, OptionSpec>;

export const promptOption = {
  "prompt-file": { short: "f", value: "FILE", help: "read the prompt from FILE, or from stdin with -" },
} as const satisfies Record<string, OptionSpec>;

export type TermValues = CommandInput<typeof termOptions>["values"];

type BudgetWords = { readonly [K in keyof typeof budgetOptions | keyof typeof timeOption]?: string };

/** `undefined` when nothing is limited. */
export function limitsOf(values: BudgetWords): BudgetLimits | undefined {
  const time = values["max-time"];
  const limits: BudgetLimits = {
    maxCostUsd: amount("--max-cost", values["max-cost"]),
    maxTokens: count("--max-tokens", values["max-tokens"]),
    maxTurns: count("--max-turns", values["max-turns"]),
    maxTimeMs: time === undefined ? undefined : parseDuration("--max-time", time),
  };
  return Object.values(limits).some((limit) => limit !== undefined) ? limits : undefined;
}

function amount(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const usd = Number(text.replace(/^\$/, ""));
  if (text.trim() !== "" && Number.isFinite(usd) && usd > 0) return usd;
  throw new AppError("usage.invalid", `${name} ${JSON.stringify(text)}: not an amount of dollars above 0`);
}

export function count(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() !== "" && Number.isInteger(number) && number > 0) return number;
  throw new AppError("usage.invalid", `${name} ${JSON.stringify(text)}: not a whole number above 0`);
}
