import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { EventOf } from "../../contract/events.ts";
import type { Spent } from "../../contract/runs/budget.ts";
import {
  attemptPrompt,
  FAST_MS,
  type LoopFacts,
  type LoopPolicy,
  type LoopStep,
  nextStep,
} from "../../contract/runs/restart.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import type { Clock } from "../../lib/base/clock.ts";

export interface LoopOptions {
  policy: LoopPolicy;
  prompt: string;
  /** Go on in the same conversation instead of a new one. */
  resumeSession: boolean;
  /** Where the agent may leave DONE. */
  doneFolders: ReadonlySet<string>;
  clock: Clock;
  random: () => number;
  signal: AbortSignal;
  /** Runs one attempt to its end. */
  attempt(attempt: Attempt): Promise<AttemptResult>;
  /** What the loop does next, for people to see. */
  say: (text: string) => void;
}

export interface Attempt {
  number: number;
  prompt: string;
  previousRunId?: string;
  resume?: { sessionId: string };
  /** By the attempts before this one. */
  spent: Spent;
}

export interface AttemptResult {
  info: RunInfo;
  /** The last thing the agent said about its limits. */
  rateLimit?: EventOf<"rate_limit">;
  /** Whether it changed anything; in doubt it did. */
  changed: boolean;
}

export interface LoopResult {
  outcome: "done" | "failed" | "stopped";
  why: string;
  attempts: number;
  last: RunInfo | undefined;
}

/** Attempt after attempt until the task is done, a limit is reached or somebody stops it. What to do next is decided purely. */
export async function runLoop(options: LoopOptions): Promise<LoopResult> {
  const { policy, clock, signal } = options;
  const begun = { monotonic: clock.monotonic(), wall: clock.now() };
  let facts: LoopFacts = {
    attempts: 0,
    done: false,
    fastFailures: 0,
    idle: 0,
    costUsd: 0,
    tokens: 0,
    turns: 0,
    elapsedMs: 0,
  };
  let last: RunInfo | undefined;
  for (;;) {
    facts = { ...facts, done: isDone(options.doneFolders, begun.wall), elapsedMs: clock.monotonic() - begun.monotonic };
    const step = nextStep(policy, facts, options.random);
    if (step.do === "stop") return { outcome: step.outcome, why: step.why, attempts: facts.attempts, last };
    await pause(step, options);
    if (signal.aborted) return { outcome: "stopped", why: "the loop was stopped", attempts: facts.attempts, last };
    const elapsedMs = clock.monotonic() - begun.monotonic;
    const result = await options.attempt(attemptOf({ ...facts, elapsedMs }, options, last));
    facts = afterAttempt(facts, result, clock.now());
    last = result.info;
  }
}

async function pause(step: LoopStep & { do: "again" }, { clock, signal, say }: LoopOptions): Promise<void> {
  if (step.afterMs === 0) return;
  say(`${step.why}: next attempt in ${Math.ceil(step.afterMs / 1000)} s`);
  await clock.sleep(step.afterMs, signal);
}

function attemptOf(facts: LoopFacts, options: LoopOptions, last: RunInfo | undefined): Attempt {
  const number = facts.attempts + 1;
  const { costUsd, tokens, turns, elapsedMs: timeMs } = facts;
  const sessionId = options.resumeSession ? last?.session_id : undefined;
  const resumed = sessionId !== undefined && sessionId !== "";
  return {
    number,
    prompt: attemptPrompt(options.prompt, number, resumed),
    previousRunId: last?.run_id,
    resume: resumed ? { sessionId } : undefined,
    spent: { costUsd, tokens, turns, timeMs },
  };
}

function afterAttempt(facts: LoopFacts, { info, rateLimit: limit, changed }: AttemptResult, now: number): LoopFacts {
  const durationMs = Date.parse(info.end_time) - Date.parse(info.start_time);
  const status = info.status === "completed" ? "completed" : "failed";
  const fast = status === "failed" && durationMs < FAST_MS;
  const resets = limit?.status === "limited" && limit.resetsAt !== undefined ? Date.parse(limit.resetsAt) - now : 0;
  return {
    ...facts,
    attempts: facts.attempts + 1,
    last: { status, reason: info.reason, exitCode: info.exit_code, durationMs },
    fastFailures: fast ? facts.fastFailures + 1 : 0,
    idle: status === "completed" && !changed ? facts.idle + 1 : 0,
    costUsd: facts.costUsd + info.cost_usd,
    tokens: facts.tokens + info.input_tokens + info.output_tokens,
    turns: facts.turns + info.turns,
    limitedForMs: resets > 0 ? resets : undefined,
  };
}

/** A DONE left over from an earlier loop ends nothing, and only a regular file counts. */
const isDone = (folders: ReadonlySet<string>, since: number): boolean =>
  [...folders].some((folder) => {
    const facts = lstatSync(join(folder, "DONE"), { throwIfNoEntry: false });
    return facts?.isFile() === true && facts.mtimeMs >= since;
  });
