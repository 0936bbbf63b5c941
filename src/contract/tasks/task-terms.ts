import { nothingSpent } from "../runs/budget.ts";
import type { RunRequest } from "../runs/request.ts";
import { inMs, inSeconds } from "../seconds.ts";
import type { TaskFile } from "./task-file.ts";

/** What of a request a task's file can hold. Variables are in none: their values may be secret, and a file stays. */
export interface RequestedTerms {
  who: RunRequest["who"];
  what: Pick<RunRequest["what"], "tools" | "preamble">;
  where: Pick<RunRequest["where"], "on" | "network" | "worktree" | "cleanEnv">;
  limits: Omit<RunRequest["limits"], "permissionKinds" | "unattended" | "closeIdleMs">;
}

type TaskTerms = Pick<
  TaskFile,
  | "agent"
  | "profile"
  | "model"
  | "fallback"
  | "on"
  | "network"
  | "worktree"
  | "clean_env"
  | "permissions"
  | "tools"
  | "preamble"
  | "limits"
>;

/** As the task's file says it. */
export function termsInFile({ who, what, where, limits }: RequestedTerms): TaskTerms {
  const { maxCostUsd, maxTokens, maxTurns } = limits.budget?.limits ?? {};
  return {
    ...who,
    fallback: who.fallback === undefined ? undefined : [...who.fallback],
    on: where.on,
    network: where.network,
    worktree: where.worktree,
    clean_env: where.cleanEnv,
    permissions: limits.permissions,
    tools: what.tools,
    preamble: what.preamble,
    limits: {
      timeout: inSeconds(limits.timeoutMs),
      idle_timeout: inSeconds(limits.idleTimeoutMs),
      max_cost_usd: maxCostUsd,
      max_tokens: maxTokens,
      max_turns: maxTurns,
    },
  };
}

export function termsOfFile(file: TaskTerms): RequestedTerms {
  const { agent, profile, model, fallback, on, network, worktree, clean_env, permissions, tools, preamble } = file;
  return {
    who: { agent, profile, model, fallback },
    what: { tools, preamble },
    where: { on, network, worktree, cleanEnv: clean_env },
    limits: { permissions, ...limitsOfFile(file) },
  };
}

export function limitsOfFile({ limits }: Pick<TaskFile, "limits">): RunRequest["limits"] {
  const { timeout, idle_timeout, max_cost_usd: maxCostUsd, max_tokens: maxTokens, max_turns: maxTurns } = limits;
  const budget = { maxCostUsd, maxTokens, maxTurns };
  const isLimited = Object.values(budget).some((limit) => limit !== undefined);
  return {
    timeoutMs: inMs(timeout),
    timeoutFrom: timeout === undefined ? undefined : "the task's timeout",
    idleTimeoutMs: inMs(idle_timeout),
    idleTimeoutFrom: idle_timeout === undefined ? undefined : "the task's idle_timeout",
    budget: isLimited ? { of: "this run", limits: budget, spent: nothingSpent } : undefined,
  };
}

/** A request for a task: what it says itself goes over what the task says. Another agent has a model and helpers of its own. */
export function onTermsOf(file: TaskFile, { who, what, where, limits, lineage }: RunRequest): RunRequest {
  const terms = termsOfFile(file);
  const isOther = who.agent !== undefined || who.profile !== undefined;
  // Whoever names a folder means that one.
  const { worktree, ...place } = terms.where;
  const folder = where.workspace === undefined ? { workspace: file.workspace, worktree } : {};
  return {
    who: isOther ? who : { ...terms.who, ...said(who) },
    what: { ...terms.what, review: file.policy.review, ...said(what), prompt: what.prompt, mode: what.mode },
    where: { ...place, ...folder, ...said(where) },
    limits: { ...terms.limits, ...said(limits) },
    lineage,
  };
}

/** Without what is only there by name. */
const said = <T extends object>(values: T): Partial<T> => {
  const kept: Partial<T> = { ...values };
  for (const key in kept) if (kept[key] === undefined) delete kept[key];
  return kept;
};
