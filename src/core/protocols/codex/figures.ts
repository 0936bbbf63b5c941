import type { AgentEvent, Usage } from "../../../contract/events.ts";
import { type Json, listOf, numberOf, objectOf, textOf } from "../read.ts";
import type { CodexState, Step, Tokens, Turn } from "./state.ts";

/**
 * The total counts on over turns and resumes, so a turn's usage is the difference. A resumed thread repeats its old total
 * before its model is called; else the total that we see first has grown by the last call.
 */
export function tokensUsed(state: CodexState, params: Json): Step {
  const usage = objectOf(params.tokenUsage);
  const total = tokensOf(objectOf(usage.total));
  const last = objectOf(usage.last);
  const window = numberOf(usage.modelContextWindow);
  const isRepeated = state.resumed && state.turn?.answering !== true;
  const before = state.turn?.tokensBefore ?? (isRepeated ? total : minus(total, tokensOf(last)));
  const turn = state.turn === undefined ? undefined : { ...state.turn, tokensBefore: before, counted: true };
  const used = numberOf(last.totalTokens) ?? 0;
  const next = { ...state, tokens: total, turn, context: `${used}/${window}` };
  const events: AgentEvent[] = [];
  const soFar = usageOfTurn(next, turn);
  if (turn !== undefined && soFar !== undefined) events.push({ type: "usage", turn: turn.id, usage: soFar });
  if (window !== undefined && next.context !== state.context)
    events.push({ type: "context_window", used, size: window });
  return [next, events];
}

export function usageOfTurn(state: CodexState, turn: Turn | undefined): Usage | undefined {
  if (turn === undefined || !turn.counted || state.tokens === undefined || turn.tokensBefore === undefined)
    return undefined;
  const { input, cached, cacheWrite, output, reasoning } = minus(state.tokens, turn.tokensBefore);
  return {
    input: Math.max(0, input - cached - cacheWrite),
    output,
    cacheRead: cached,
    cacheWrite,
    reasoning,
    model: state.options.model,
  };
}

/** One event per window that says anything (five hours, a week). */
export function rateLimits(params: Json): AgentEvent[] {
  const limits = objectOf(params.rateLimits);
  const reached = textOf(limits.rateLimitReachedType) !== undefined;
  return ["primary", "secondary"].flatMap((name): AgentEvent[] => {
    const window = objectOf(limits[name]);
    const usedPercent = numberOf(window.usedPercent);
    if (usedPercent === undefined) return [];
    const resets = numberOf(window.resetsAt);
    const minutes = numberOf(window.windowDurationMins);
    return [
      {
        type: "rate_limit",
        status: usedPercent >= 100 || reached ? "limited" : usedPercent >= 80 ? "warning" : "ok",
        scope: minutes === undefined ? name : `${minutes} min`,
        usedPercent,
        resetsAt: resets === undefined ? undefined : new Date(resets * 1000).toISOString(),
      },
    ];
  });
}

export function planOf(params: Json): Omit<Extract<AgentEvent, { type: "plan" }>, "type" | "turn"> {
  const entries = listOf(params.plan).map((item) => {
    const { step, status } = objectOf(item);
    const known = status === "completed" ? "completed" : status === "inProgress" ? "in_progress" : "pending";
    return { text: textOf(step) ?? "", status: known } as const;
  });
  return { markdown: textOf(params.explanation), entries };
}

const tokensOf = (usage: Json): Tokens => ({
  input: numberOf(usage.inputTokens) ?? 0,
  cached: numberOf(usage.cachedInputTokens) ?? 0,
  cacheWrite: numberOf(usage.cacheWriteInputTokens) ?? 0,
  output: numberOf(usage.outputTokens) ?? 0,
  reasoning: numberOf(usage.reasoningOutputTokens) ?? 0,
});

const minus = (a: Tokens, b: Tokens): Tokens => ({
  input: a.input - b.input,
  cached: a.cached - b.cached,
  cacheWrite: a.cacheWrite - b.cacheWrite,
  output: a.output - b.output,
  reasoning: a.reasoning - b.reasoning,
});
