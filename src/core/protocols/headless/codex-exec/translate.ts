import type { Usage } from "../../../../contract/events.ts";
import type { Translator } from "../../../../contract/sessions/session.ts";
import { readApiError } from "../../api-error.ts";
import { errorEvent } from "../../category.ts";
import { type Json, numberOf, objectOf, textOf } from "../../read.ts";
import { unknownType } from "../../unmapped.ts";
import {
  begin,
  type Conversation,
  end,
  headlessTranslator,
  identify,
  newConversation,
  type Step,
  turnOf,
} from "../conversation.ts";
import { itemEvents } from "./items.ts";
import { type WireType, wireTypes } from "./messages.ts";

export interface CodexExecState extends Conversation {
  /** The thread's usage when its last known turn ended; undefined when turns went before that we didn't see. */
  readonly usedBefore: Json | undefined;
  /** The last error line, which `turn.failed` repeats: as it came, and what it says. */
  readonly failure?: { said: string; message: string };
  /** The last line said that it waits for the network, and codex would wait for ever. */
  readonly isWaiting: boolean;
}

const fresh = (state: CodexExecState): CodexExecState => ({ ...state, failure: undefined, isWaiting: false });

export const codexExecTranslator: Translator<Json, CodexExecState> = headlessTranslator<CodexExecState>({
  initial: { ...newConversation, usedBefore: {}, failure: undefined, isWaiting: false },
  fresh,
  received(before, line) {
    const type = textOf(line.type);
    const state = before.isWaiting && type !== "error" ? { ...before, isWaiting: false } : before;
    if (type === undefined || !isWireType(type)) return [state, [unknownType("codex-exec", type, line)]];
    return steps[type](state, line);
  },
});

const isWireType = (type: string): type is WireType => Object.hasOwn(wireTypes, type);

const steps: Readonly<Record<WireType, (state: CodexExecState, line: Json) => Step<CodexExecState>>> = {
  "thread.started"(state, line) {
    const [next, events] = identify(state, textOf(line.thread_id), ["interrupt", "resume", "fork"]);
    const isOurs = next.sessionId === state.sessionId;
    const hasPast = state.resume !== undefined;
    return [isOurs ? next : { ...next, usedBefore: hasPast ? undefined : {} }, events];
  },
  "turn.started": (state) => begin(state, fresh),
  "turn.completed": completed,
  "turn.failed": failed,
  "item.started": (state, line) => item(state, line, false),
  "item.updated": (state, line) => item(state, line, false),
  "item.completed": (state, line) => item(state, line, true),

  error(state, line) {
    const { turn } = state.open;
    const said = textOf(line.message) ?? "codex reported an error without a message";
    if (said.startsWith("Reconnecting...")) {
      const isWaiting = said.includes("waiting for network"); // else it counts: "1/5", and fails by itself
      const next = isWaiting === state.isWaiting ? state : { ...state, isWaiting };
      return [next, [{ type: "notice", turn, code: "retrying", text: said }]];
    }
    if (state.interrupted !== undefined) return [state, []];
    const trouble = readApiError(said);
    const failure = { said, message: trouble.message };
    return [{ ...state, failure, isWaiting: false }, [errorEvent({ turn, ...trouble })]];
  },
};

function item(state: CodexExecState, line: Json, isDone: boolean): Step<CodexExecState> {
  const it = objectOf(line.item);
  const { turn, tools } = state.open;
  const events = itemEvents(turn, it, tools.has(`${turn ?? "t0"}.${textOf(it.id) ?? "item"}`), isDone);
  if (events !== undefined) return [state, events];
  return [state, [unknownType("codex-exec", `${textOf(line.type)}/${textOf(it.type)}`, line)]];
}

function completed(state: CodexExecState, line: Json): Step<CodexExecState> {
  if (state.open.turn === undefined) return [state, []];
  const total = objectOf(line.usage);
  const usage = state.usedBefore === undefined ? undefined : usageOf(state.usedBefore, total);
  const next = { ...state, usedBefore: total };
  const [ended, events] = end(next, { outcome: "completed", stopReason: "end_turn", usage });
  if (usage !== undefined) return [ended, events];
  // The first turn after a resume: codex tells the thread's total, and billing that would bill the past again.
  const text = "codex reports the usage of the whole thread; this turn's part of it is unknown";
  return [ended, [{ type: "notice", turn: turnOf(state), code: "usage_unknown", text, data: total }, ...events]];
}

function failed(state: CodexExecState, line: Json): Step<CodexExecState> {
  if (state.open.turn === undefined) return [state, []];
  const said = textOf(objectOf(line.error).message) ?? "codex failed without a message";
  if (said === state.failure?.said) return end(state, { outcome: "failed", reason: state.failure.message });
  const trouble = readApiError(said);
  return end(state, { outcome: "failed", reason: trouble.message }, errorEvent({ turn: turnOf(state), ...trouble }));
}

function usageOf(before: Json, total: Json): Usage {
  const part = (field: string): number => {
    const [now, then] = [numberOf(total[field]) ?? 0, numberOf(before[field]) ?? 0];
    return now < then ? now : now - then; // less than before: codex has begun to count anew
  };
  const [cacheRead, cacheWrite] = [part("cached_input_tokens"), part("cache_write_input_tokens")];
  return {
    input: Math.max(0, part("input_tokens") - cacheRead - cacheWrite),
    output: part("output_tokens"),
    cacheRead,
    cacheWrite,
    reasoning: part("reasoning_output_tokens"),
  };
}
