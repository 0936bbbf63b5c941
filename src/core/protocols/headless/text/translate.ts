import type { AgentEvent } from "../../../../contract/events.ts";
import type { Translator } from "../../../../contract/sessions/session.ts";
import { type Json, textOf } from "../../read.ts";
import { type Conversation, headlessTranslator, newConversation, turnOf } from "../conversation.ts";

export interface TextState extends Conversation {
  /** Something was said in this turn, and what follows is a line of its own. */
  readonly hasSpoken: boolean;
}

/** Words without any marks: a turn is one message, and is done when its program ends in order. */
export const textTranslator: Translator<Json, TextState> = headlessTranslator<TextState>({
  initial: { ...newConversation, hasSpoken: false },
  fresh: (state) => ({ ...state, hasSpoken: false }),
  received(state, line) {
    if (state.open.turn === undefined) return [state, []];
    const turn = turnOf(state);
    const text = `${state.hasSpoken ? "\n" : ""}${textOf(line.text) ?? ""}`;
    const said: AgentEvent[] = text === "" ? [] : [{ type: "message_chunk", turn, messageId: `${turn}.m1`, text }];
    return [{ ...state, hasSpoken: true }, said];
  },
  isDone: () => true,
});
