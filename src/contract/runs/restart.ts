import { plural } from "../words/figures.ts";
import { type BudgetLimits, checkBudget } from "./budget.ts";
import type { RunReason } from "./run.ts";

/** When a chain of attempts at one task is over. */
export interface LoopPolicy extends BudgetLimits {
  /** `either`: a completed run or a fresh DONE file; `success`: a completed run; `done`: only the file (the Ralph loop proper). */
  until: "either" | "success" | "done";
  maxAttempts: number;
  delayMs: number;
}

/** What is known after an attempt (or before the first: `attempts` is 0). */
export interface LoopFacts {
  attempts: number;
  /** DONE is a regular file made since the loop began. */
  done: boolean;
  last?: { status: "completed" | "failed"; reason: RunReason | ""; exitCode: number; durationMs: number };
  /** Attempts that ended within seconds, one after the other. */
  fastFailures: number;
  /** Attempts that completed and changed nothing, one after the other. */
  idle: number;
  costUsd: number;
  tokens: number;
  turns: number;
  elapsedMs: number;
  /** The agent said that it may not work before then. */
  limitedForMs?: number;
}

export type LoopStep =
  | { do: "stop"; outcome: "done" | "failed" | "stopped"; why: string }
  | { do: "again"; afterMs: number; why: string };

/** A run that ends this soon did no work: trying again at once would only burn money. */
export const FAST_MS = 10_000;
/** Whoever changed nothing so often won't. */
const MAX_IDLE = 3;
const MAX_BACKOFF_MS = 5 * 60_000;

export function nextStep(policy: LoopPolicy, facts: LoopFacts, random: () => number): LoopStep {
  const { last } = facts;
  if (last?.reason === "stopped") return { do: "stop", outcome: "stopped", why: "the run was stopped" };
  if (facts.done && policy.until !== "success") return { do: "stop", outcome: "done", why: "DONE is there" };
  const success = last?.status === "completed" && last.exitCode === 0;
  if (success && policy.until !== "done") return { do: "stop", outcome: "done", why: "the run completed" };
  // Perhaps another's: a project's is used up for every attempt.
  if (last?.reason === "budget") return { do: "stop", outcome: "failed", why: "the budget is used up" };
  const spent = overBudget(policy, facts);
  if (spent !== undefined) return { do: "stop", outcome: "failed", why: spent };
  if (facts.idle >= MAX_IDLE) {
    return { do: "stop", outcome: "failed", why: `${facts.idle} attempts in a row changed nothing` };
  }
  if (facts.attempts >= policy.maxAttempts) {
    return {
      do: "stop",
      outcome: "failed",
      why: `${plural(facts.attempts, "attempt is", "attempts are")} enough (--max-attempts)`,
    };
  }
  if (facts.attempts === 0) return { do: "again", afterMs: 0, why: "first attempt" };
  return again(policy, facts, random);
}

function again(policy: LoopPolicy, facts: LoopFacts, random: () => number): LoopStep {
  if (facts.limitedForMs !== undefined && facts.limitedForMs > 0) {
    return { do: "again", afterMs: facts.limitedForMs, why: "waiting for the rate limit to reset" };
  }
  if (facts.fastFailures === 0) return { do: "again", afterMs: policy.delayMs, why: "not done yet" };
  const grown = Math.min(policy.delayMs * 2 ** facts.fastFailures, MAX_BACKOFF_MS);
  const afterMs = Math.max(policy.delayMs, Math.round(grown * (0.5 + random() / 2)));
  return { do: "again", afterMs, why: `failed at once, ${facts.fastFailures} times in a row` };
}

function overBudget(policy: LoopPolicy, { costUsd, tokens, turns, elapsedMs }: LoopFacts): string | undefined {
  const { level, text } = checkBudget(policy, { costUsd, tokens, turns, timeMs: elapsedMs });
  return level === "over" ? `spent ${text}` : undefined;
}

const CONTINUE = "Continue working on the following:";

/** Later attempts are told that they aren't the first; a resumed conversation has the task already. */
export function attemptPrompt(prompt: string, attempt: number, resumed: boolean): string {
  if (attempt === 1) return prompt;
  return resumed ? "Continue where you stopped. If everything is done, say so." : `${CONTINUE}\n\n${prompt}`;
}
