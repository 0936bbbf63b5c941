import type { AgentEvent, Usage } from "../../../../contract/events.ts";
import { addUsage } from "../../../../contract/sessions/transcript.ts";
import { type Json, numberOf, objectOf, textOf } from "../../read.ts";
import { andThen, type ClaudeState, type Step } from "./state.ts";

/** Which model answers, and how full its window is; without partial messages the output is not counted in it. */
export function knowing(state: ClaudeState, body: Json): ClaudeState {
  const model = textOf(body.model);
  if (model === undefined || model.startsWith("<")) return state;
  const known = withModel(state, model);
  return { ...known, context: { ...known.context, used: contextUse(objectOf(body.usage)) } };
}

/** Another model has another window. */
export function withModel(state: ClaudeState, model: string | undefined): ClaudeState {
  return model === undefined || model === state.context.model ? state : { ...state, context: { model } };
}

/** The figures of one finished model call. */
export function measured(state: ClaudeState, usage: Json): Step {
  if (state.turn === undefined) return [state, []];
  const { model } = state.context;
  const live = addUsage(state.turn.live ?? { input: 0, output: 0 }, usageOf(usage, model));
  const soFar = state.turn.settled === undefined ? live : addUsage(state.turn.settled, live);
  const context = { ...state.context, used: contextUse(usage) };
  const next = { ...state, turn: { ...state.turn, live }, context };
  return andThen([next, [{ type: "usage", turn: state.turn.id, usage: soFar }]], tellContext);
}

/** The size of the window comes with the first result only. */
export function tellContext(state: ClaudeState): Step {
  const { used, size, told } = state.context;
  const key = `${used}/${size}`;
  if (used === undefined || size === undefined || told === key) return [state, []];
  const event: AgentEvent = { type: "context_window", used, size };
  return [{ ...state, context: { ...state.context, told: key } }, [event]];
}

export function usageOf(usage: Json, model: string | undefined): Usage {
  return {
    input: numberOf(usage.input_tokens) ?? 0,
    output: numberOf(usage.output_tokens) ?? 0,
    cacheRead: numberOf(usage.cache_read_input_tokens),
    cacheWrite: numberOf(usage.cache_creation_input_tokens),
    reasoning: numberOf(objectOf(usage.output_tokens_details).thinking_tokens),
    model,
  };
}

function contextUse(usage: Json): number {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usageOf(usage, undefined);
  return input + output + cacheRead + cacheWrite;
}
