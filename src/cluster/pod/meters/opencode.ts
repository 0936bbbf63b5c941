import { type Json, numberOf, objectOf, textOf } from "../../../core/protocols/read.ts";
import { costOf, dollars, type Meter, type MeterContext } from "../figures.ts";

/** `opencode run --format json`: a sum over its steps, money included where it knows the price. */
export function opencodeMeter({ model, prices }: MeterContext): Meter {
  const total = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
  let steps = 0;
  let response: string | undefined;
  let failure: string | undefined;

  const count = (part: Json) => {
    const tokens = objectOf(part.tokens);
    const cache = objectOf(tokens.cache);
    steps += 1;
    total.input += numberOf(tokens.input) ?? 0;
    total.output += numberOf(tokens.output) ?? 0;
    total.reasoning += numberOf(tokens.reasoning) ?? 0;
    total.cacheRead += numberOf(cache.read) ?? 0;
    total.cacheWrite += numberOf(cache.write) ?? 0;
    total.cost += numberOf(part.cost) ?? 0;
  };

  return {
    take(message) {
      const part = objectOf(message.part);
      if (message.type === "step_finish") count(part);
      if (message.type === "text") response = textOf(part.text) ?? textOf(message.text) ?? response;
      if (message.type === "step_start") failure = undefined;
      if (message.type !== "error") return;
      const error = objectOf(message.error);
      failure = textOf(objectOf(error.data).message) ?? textOf(error.name);
    },
    read() {
      if (steps === 0) return { response, failure, abnormal: false };
      const { input, output, reasoning, cacheRead, cacheWrite, cost } = total;
      // A price of 0 is what it says of models whose price it doesn't know; thoughts are billed as output.
      const estimate = costOf([{ input, output: output + reasoning, cacheRead, cacheWrite, model }], prices);
      return {
        inputTokens: String(input),
        outputTokens: String(output),
        costUsd: cost > 0 ? dollars(cost) : estimate,
        response,
        failure,
        abnormal: false,
      };
    },
  };
}
