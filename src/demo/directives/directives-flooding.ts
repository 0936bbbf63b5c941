import { setImmediate as nextTick } from "node:timers/promises";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { newId, type Turn } from "../turn.ts";
import { numberAt } from "../words.ts";
import type { Directive } from "./directives.ts";

/** Frames per write. Larger batches are hardly faster, and a cancellation has to wait for the end of one. */
const BATCH = 256;

export const flooding: Record<string, Directive> = {
  slow: async (turn, rest) => {
    const messageId = newId("msg");
    for (let tick = 1; tick <= numberAt(0, rest); tick += 1) {
      await turn.say(`tick ${tick} `, messageId);
      await turn.pause(numberAt(1, rest));
    }
  },
  stream: async (turn, rest) => {
    const messageId = newId("msg");
    const [size, ms] = [numberAt(0, rest), numberAt(1, rest)];
    const letters = Array.from(rest.replace(/^\S+\s+\S+\s+/, "").replaceAll("\\n", "\n"));
    for (let at = 0; at < letters.length; at += size) {
      await turn.say(letters.slice(at, at + size).join(""), messageId);
      await turn.pause(ms);
    }
  },
  burst: async (turn, rest) => {
    const [count, bytes, messageId] = [numberAt(0, rest), numberAt(1, rest, 0), newId("msg")];
    for (let first = 1; first <= count; first += BATCH) {
      const last = Math.min(count, first + BATCH - 1);
      let frames = "";
      for (let n = first; n <= last; n += 1) {
        const update = chunk(`${n} `.padEnd(bytes, "."), messageId);
        turn.record(update);
        frames += frame(turn, update);
      }
      await turn.stage.output.write(frames);
      await nextTick();
      turn.signal.throwIfAborted();
    }
  },
  huge: async (turn, rest) => {
    const messageId = newId("msg");
    const empty = frame(turn, chunk("", messageId)).length - "\n".length;
    const update = chunk("x".repeat(Math.max(0, numberAt(0, rest) - empty)), messageId);
    turn.record(update);
    await turn.stage.output.write(frame(turn, update));
  },
};

const chunk = (text: string, messageId: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  messageId,
});

/** For writes past the protocol library, which writes its notifications one by one. */
function frame(turn: Turn, update: SessionUpdate): string {
  const params = { sessionId: turn.session.id, update };
  return `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n`;
}
