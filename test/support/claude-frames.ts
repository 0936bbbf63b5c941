import type { Frame } from "../../src/contract/sessions/session.ts";
import { type ClaudeMessage, userMessage } from "../../src/core/protocols/claude/messages.ts";
import { claudeTranslator } from "../../src/core/protocols/claude/translate/translate.ts";
import { translateAll } from "./transcript.ts";

export { last, textOf, typesOf } from "./events.ts";

/** Frames of Claude Code's stream-json with just the fields that a test is about. */
export type Frames = Frame<ClaudeMessage>[];
export const received = (message: ClaudeMessage) => ({ dir: "received", message }) as const;
export const sent = (message: ClaudeMessage) => ({ dir: "sent", message }) as const;
export const prompt = (uuid: string) => sent(userMessage([{ type: "text", text: "go" }], uuid));
export const init = (session_id = "s1") => received({ type: "system", subtype: "init", session_id, model: "opus" });
export const stream = (event: object, parent: string | null = null) =>
  received({ type: "stream_event", event, parent_tool_use_id: parent });
export const whole = (id: string, content: object[], parent: string | null = null) =>
  received({ type: "assistant", message: { id, model: "opus", content }, parent_tool_use_id: parent });
export const toolResult = (id: string, fields: object = {}, message: object = {}) =>
  received({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: id, ...fields }] }, ...message });
export const done = (fields: object = {}) =>
  received({ type: "result", subtype: "success", is_error: false, num_turns: 1, usage: {}, ...fields });

export const events = (frames: Frames, opening?: Parameters<typeof claudeTranslator>[0]) =>
  translateAll(claudeTranslator(opening), frames);
