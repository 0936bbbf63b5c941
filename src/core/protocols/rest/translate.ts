import type { AgentEvent, EventOf, Usage } from "../../../contract/events.ts";
import { closing, nothingOpen, type OpenItems, track } from "../../../contract/sessions/open-items.ts";
import type { Translator } from "../../../contract/sessions/session.ts";
import { readApiError } from "../api-error.ts";
import { errorEvent } from "../category.ts";
import { isObject, type Json, listOf, numberOf, objectOf, textOf } from "../read.ts";
import { unknownType } from "../unmapped.ts";
import { DONE, type RestSent } from "./messages.ts";
import { atStart, restOf, splitThoughts, type ThinkState } from "./think.ts";

export interface RestState {
  readonly open: OpenItems;
  readonly turns: number;
  readonly model?: string;
  readonly think: ThinkState;
  /** The answer without thoughts and sources: what the conversation remembers. */
  readonly answer: string;
  readonly sources: readonly string[];
  readonly usage?: Usage;
  readonly stop?: string;
}

type Step = readonly [RestState, readonly AgentEvent[]];

const fresh = { think: atStart, answer: "", sources: [], usage: undefined, stop: undefined } as const;

export const restTranslator: Translator<Json, RestState> = {
  initial: () => ({ open: nothingOpen, turns: 0, ...fresh }),
  step(state, { dir, message }) {
    const [next, events] = dir === "sent" ? sent(state, message as RestSent) : received(state, message);
    if (events.length === 0) return [next, events];
    const open = events.reduce(track, next.open);
    return [open === next.open ? next : { ...next, open }, events];
  },
  finish: (state, reason) => closing(state.open, reason),
};

function sent(state: RestState, message: RestSent): Step {
  switch (message.type) {
    case "request":
      return start({ ...state, model: message.model });
    case "end":
      return state.open.turn === undefined ? [state, []] : ended(state, message);
  }
}

function start(state: RestState): Step {
  const turns = state.turns + 1;
  return [{ ...state, ...fresh, turns }, [{ type: "turn_started", turn: `t${turns}` }]];
}

function received(state: RestState, chunk: Json): Step {
  if (chunk.object === DONE.object) return state.open.turn === undefined ? [state, []] : completed(state);
  const isKnown = chunk.choices !== undefined || chunk.usage !== undefined || chunk.error !== undefined;
  if (!isKnown) return [state, [unmapped(chunk)]];
  const [begun, started] = state.open.turn === undefined ? start(state) : [state, []];
  const [next, events] = said(begun, chunk);
  return started.length === 0 ? [next, events] : [next, [...started, ...events]];
}

function said(state: RestState, chunk: Json): Step {
  if (chunk.error !== undefined && chunk.error !== null) {
    return failed(state, errorEvent({ turn: `t${state.turns}`, ...readApiError(JSON.stringify(chunk)) }));
  }
  const choice = objectOf(listOf(chunk.choices)[0]);
  const part = isObject(choice.delta) ? choice.delta : objectOf(choice.message);
  const [spoken, events] = speak(
    state,
    textOf(part.reasoning_content) ?? textOf(part.reasoning) ?? "",
    textOf(part.content) ?? "",
  );
  const stop = textOf(choice.finish_reason);
  const usage = isObject(chunk.usage) ? usageOf(chunk.usage, state.model) : undefined;
  const sources = sourcesOf(chunk);
  if (stop === undefined && usage === undefined && sources === undefined) return [spoken, events];
  const known = { stop: stop ?? state.stop, usage: usage ?? state.usage, sources: sources ?? state.sources };
  return [{ ...spoken, ...known }, events];
}

/** Every delta counts, also one that repeats the last: "no no" is two of them. */
function speak(state: RestState, reasoning: string, content: string): Step {
  if (reasoning === "" && content === "") return [state, []];
  const [think, parts] = splitThoughts(state.think, content);
  const events = chunks(state, { reasoning: reasoning + parts.reasoning, answer: parts.answer });
  return [{ ...state, think, answer: state.answer + parts.answer }, events];
}

function chunks({ turns }: RestState, { reasoning, answer }: { reasoning: string; answer: string }): AgentEvent[] {
  const turn = `t${turns}`;
  const events: AgentEvent[] = [];
  if (reasoning !== "") events.push({ type: "reasoning", turn, messageId: `${turn}.r`, text: reasoning });
  if (answer !== "") events.push({ type: "message_chunk", turn, messageId: `${turn}.m`, text: answer });
  return events;
}

function completed(state: RestState): Step {
  const [flushed, events] = flush(state);
  const { sources } = state;
  const list = sources.map((source, index) => `${index + 1}. ${source}`).join("\n");
  const cited = sources.length === 0 ? [] : chunks(state, { reasoning: "", answer: `\n\nSources:\n${list}` });
  return [
    flushed,
    [...events, ...cited, complete(state, { outcome: "completed", stopReason: stopReasons.get(state.stop) })],
  ];
}

/** The stream ended without its [DONE]; once a finish reason was given, nothing is missing. */
function ended(state: RestState, { failure, interrupted }: { failure?: EventOf<"error">; interrupted?: string }): Step {
  if (interrupted !== undefined) {
    const [flushed, events] = flush(state);
    return [
      flushed,
      [...events, complete(state, { outcome: "interrupted", stopReason: "cancelled", reason: interrupted })],
    ];
  }
  if (state.stop !== undefined) return completed(state);
  const message = "the server ended its answer in the middle";
  return failed(state, failure ?? errorEvent({ turn: `t${state.turns}`, category: "network", message }));
}

function failed(state: RestState, error: EventOf<"error">): Step {
  const [flushed, events] = flush(state);
  return [flushed, [...events, error, complete(state, { outcome: "failed", reason: error.message })]];
}

function flush(state: RestState): Step {
  const rest = restOf(state.think);
  return [{ ...state, think: { ...state.think, held: "" }, answer: state.answer + rest.answer }, chunks(state, rest)];
}

function complete(state: RestState, how: Pick<EventOf<"complete">, "outcome" | "stopReason" | "reason">): AgentEvent {
  return { type: "complete", turn: `t${state.turns}`, ...how, usage: state.usage };
}

const stopReasons: ReadonlyMap<unknown, EventOf<"complete">["stopReason"]> = new Map([
  [undefined, "end_turn"],
  ["stop", "end_turn"],
  ["length", "max_tokens"],
  ["content_filter", "refusal"],
]);

function usageOf(usage: Json, model: string | undefined): Usage {
  const cacheRead = numberOf(objectOf(usage.prompt_tokens_details).cached_tokens);
  const reasoning =
    numberOf(objectOf(usage.completion_tokens_details).reasoning_tokens) ?? numberOf(usage.reasoning_tokens);
  const costUsd = numberOf(objectOf(usage.cost).total_cost);
  return {
    input: Math.max(0, (numberOf(usage.prompt_tokens) ?? 0) - (cacheRead ?? 0)),
    output: numberOf(usage.completion_tokens) ?? 0,
    cacheRead,
    reasoning,
    model,
    ...(costUsd === undefined ? {} : { costUsd, costSource: "reported" as const }),
  };
}

/** Perplexity repeats the list in every chunk; the titled one says more. */
function sourcesOf(chunk: Json): string[] | undefined {
  const titled = listOf(chunk.search_results).flatMap((item) => {
    const { title, url } = objectOf(item);
    return typeof url === "string" ? [typeof title === "string" && title !== "" ? `${title}: ${url}` : url] : [];
  });
  if (titled.length > 0) return titled;
  const plain = listOf(chunk.citations).filter((item) => typeof item === "string");
  return plain.length > 0 ? plain : undefined;
}

function unmapped(chunk: Json): AgentEvent {
  return unknownType("rest", textOf(chunk.object), chunk);
}
