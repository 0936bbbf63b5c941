import { type Json, numberOf, objectOf, textOf } from "../../../core/protocols/read.ts";
import { costOf, type Meter, type MeterContext } from "../figures.ts";

/** `codex exec --json`: a sum over its turns. The stream names no model and no money. */
export function codexMeter({ model, modelOf, prices }: MeterContext): Meter {
  const total = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  let thread: string | undefined;
  let turns = 0;
  let response: string | undefined;
  let failure: string | undefined;

  const count = (usage: Json) => {
    turns += 1;
    total.input += numberOf(usage.input_tokens) ?? 0;
    total.output += numberOf(usage.output_tokens) ?? 0;
    total.cacheRead += numberOf(usage.cached_input_tokens) ?? 0;
    total.cacheWrite += numberOf(usage.cache_write_input_tokens) ?? 0;
  };

  return {
    take(message) {
      const item = objectOf(message.item);
      if (message.type === "thread.started") thread = textOf(message.thread_id);
      if (message.type === "turn.completed") count(objectOf(message.usage));
      if (message.type === "item.completed" && item.type === "agent_message") response = textOf(item.text);
      if (message.type === "turn.started") failure = undefined;
      if (message.type === "turn.failed") failure = textOf(objectOf(message.error).message);
      if (message.type === "error") failure = textOf(message.message);
    },
    read() {
      if (turns === 0) return { response, failure, abnormal: false };
      const { input, output, cacheRead, cacheWrite } = total;
      // Its input counts what came from the cache as well, at another price.
      const taken = model ?? (thread === undefined ? undefined : modelOf?.(thread));
      const billed = { ...total, input: Math.max(0, input - cacheRead - cacheWrite), model: taken };
      return {
        inputTokens: String(input),
        outputTokens: String(output),
        costUsd: costOf([billed], prices),
        response,
        failure,
        abnormal: false,
      };
    },
  };
}
