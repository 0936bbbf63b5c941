import type { Usage } from "../../../contract/events.ts";
import { type Json, listOf, numberOf, objectOf, textOf } from "../../../core/protocols/read.ts";
import { costOf, type Figures, type Meter, type MeterContext, spelled } from "../figures.ts";

/** `claude -p --output-format stream-json`: the last result counts; what it says of money is the total. */
export function claudeMeter({ prices }: MeterContext): Meter {
  let result: Figures | undefined;
  let lastWords: string | undefined;
  /** The figures of each model call, for an agent that was ended before it could sum them up. */
  const calls = new Map<string, Usage>();

  return {
    take(message, raw) {
      if (message.type === "result") result = readResult(message, raw);
      if (message.type !== "assistant") return;
      const body = objectOf(message.message);
      const model = textOf(body.model);
      if (model === undefined || model.startsWith("<")) return; // an error in the shape of a message
      calls.set(textOf(body.id) ?? "", usageOf(objectOf(body.usage), model));
      lastWords = saidIn(body) ?? lastWords;
    },
    read() {
      const own = [...calls.values()];
      const counted = result?.inputTokens !== undefined && !(isNothing(result) && own.length > 0);
      const figures = counted ? {} : summed(own, costOf(own, prices));
      return { abnormal: false, ...result, ...figures, response: result?.response ?? lastWords };
    },
  };
}

/** An interrupted call is reported as nothing, yet paid. */
const isNothing = ({ inputTokens, outputTokens }: Figures) => Number(inputTokens) + Number(outputTokens ?? 0) === 0;

function readResult(message: Json, raw: string): Figures {
  const usage = objectOf(message.usage);
  const abnormal = !isNormal(message);
  return {
    inputTokens: spelled(raw, "input_tokens", usage.input_tokens),
    outputTokens: spelled(raw, "output_tokens", usage.output_tokens),
    costUsd: spelled(raw, "total_cost_usd", message.total_cost_usd),
    response: textOf(message.result),
    abnormal,
    ...(abnormal ? { failure: reasonOf(message) } : {}),
  };
}

/** Reasons that are not there are no objection: older versions say less. */
function isNormal({ is_error, subtype, terminal_reason, stop_reason }: Json): boolean {
  const is = (value: unknown, wanted: string) => (textOf(value) ?? "") === "" || value === wanted;
  return is_error !== true && is(subtype, "success") && is(terminal_reason, "completed") && is(stop_reason, "end_turn");
}

function reasonOf(message: Json): string {
  const errors = listOf(message.errors).filter((error) => typeof error === "string");
  const said = message.is_error === true ? textOf(message.result) : undefined;
  const words = [message.subtype, message.terminal_reason, message.stop_reason].flatMap((word) => textOf(word) || []);
  return said || errors.join("\n") || `the agent ended with ${words.join(", ") || "an error"}`;
}

function usageOf(usage: Json, model: string): Usage {
  return {
    input: numberOf(usage.input_tokens) ?? 0,
    output: numberOf(usage.output_tokens) ?? 0,
    cacheRead: numberOf(usage.cache_read_input_tokens) ?? 0,
    cacheWrite: numberOf(usage.cache_creation_input_tokens) ?? 0,
    model,
  };
}

function summed(uses: readonly Usage[], costUsd: string | undefined): Partial<Figures> {
  if (uses.length === 0) return {};
  const sum = (pick: (use: Usage) => number) => String(uses.reduce((total, use) => total + pick(use), 0));
  return { inputTokens: sum((use) => use.input), outputTokens: sum((use) => use.output), costUsd };
}

function saidIn(body: Json): string | undefined {
  const texts = listOf(body.content).flatMap((part) => textOf(objectOf(part).text) ?? []);
  return texts.length === 0 ? undefined : texts.join("");
}
