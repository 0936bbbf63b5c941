import type { Usage } from "../../../contract/events.ts";
import { type Json, numberOf, objectOf } from "../read.ts";
import type { AcpState } from "./state.ts";

/** What a turn used, as its answer says. */
export function usageOf(state: AcpState, result: Json): Usage | undefined {
  const usage = objectOf(result.usage);
  const quota = objectOf(objectOf(objectOf(result._meta).quota).token_count);
  const input = numberOf(usage.inputTokens) ?? numberOf(quota.input_tokens) ?? numberOf(quota.inputTokens);
  const output = numberOf(usage.outputTokens) ?? numberOf(quota.output_tokens) ?? numberOf(quota.outputTokens);
  if (input === undefined && output === undefined) return undefined;
  const model = state.options.find((option) => option.category === "model")?.value;
  const costUsd = Math.max(0, state.cost - state.costBefore);
  return {
    input: input ?? 0,
    output: (output ?? 0) + thoughtApart(usage),
    cacheRead: numberOf(usage.cachedReadTokens),
    cacheWrite: numberOf(usage.cachedWriteTokens),
    reasoning: numberOf(usage.thoughtTokens),
    model: typeof model === "string" ? model : undefined,
    ...(state.cost > 0 ? { costUsd, costSource: "reported" as const } : {}),
  };
}

/** For us thinking is part of the output. OpenCode counts it beside, codex-acp within: the total tells. */
function thoughtApart(usage: Json): number {
  const thought = numberOf(usage.thoughtTokens) ?? 0;
  const parts = [usage.inputTokens, usage.outputTokens, usage.cachedReadTokens, usage.cachedWriteTokens];
  const others = parts.reduce<number>((sum, part) => sum + (numberOf(part) ?? 0), 0);
  return numberOf(usage.totalTokens) === others + thought ? thought : 0;
}
