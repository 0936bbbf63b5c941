import type { Usage } from "../../../contract/events.ts";
import { type Json, numberOf, objectOf, textOf } from "../../../core/protocols/read.ts";
import { costOf, type Figures, type Meter, type MeterContext, spelled } from "../figures.ts";

/** `gemini -o stream-json`: the last result counts, and what was said since the last tool is the response. */
export function geminiMeter({ prices, model: asked }: MeterContext): Meter {
  let result: Figures | undefined;
  let model = asked;
  let said: string[] = [];

  return {
    take(message, raw) {
      switch (message.type) {
        case "init":
          model = textOf(message.model) ?? model;
          return;
        case "message":
          if (message.role !== "assistant") return;
          // Deltas are pieces of one message; anything else is a whole one.
          if (message.delta !== true) said = [];
          said.push(textOf(message.content) ?? "");
          return;
        case "tool_use":
          said = [];
          return;
        case "result":
          result = readResult(message, raw, (stats) => costOf(usesOf(stats, model), prices));
          return;
        default:
          return;
      }
    },
    read: () => ({ abnormal: false, ...result, response: said.length === 0 ? undefined : said.join("") }),
  };
}

function readResult(message: Json, raw: string, costOfStats: (stats: Json) => string | undefined): Figures {
  const stats = objectOf(message.stats);
  const failed = textOf(message.status) === "error";
  // Two spellings: its own, and the one that interface documents show.
  const count = (snake: string, camel: string) =>
    spelled(raw, snake, stats[snake]) ?? spelled(raw, camel, stats[camel]);
  return {
    inputTokens: count("input_tokens", "inputTokens"),
    outputTokens: count("output_tokens", "outputTokens"),
    costUsd: costOfStats(stats),
    abnormal: false,
    ...(failed ? { failure: textOf(objectOf(message.error).message) ?? "gemini failed without a message" } : {}),
  };
}

/** By model where it says so: a router in front of it may have used several. */
function usesOf(stats: Json, model: string | undefined): Usage[] {
  const models = Object.entries(objectOf(stats.models));
  if (models.length === 0) return numberOf(stats.input_tokens) === undefined ? [] : [useOf(stats, model)];
  return models.map(([name, use]) => useOf(objectOf(use), name));
}

/** Thoughts are in its total alone, and billed as output. */
function useOf(stats: Json, model: string | undefined): Usage {
  const prompt = numberOf(stats.input_tokens) ?? 0;
  const answer = numberOf(stats.output_tokens) ?? 0;
  const cacheRead = numberOf(stats.cached) ?? 0;
  const thoughts = Math.max(0, (numberOf(stats.total_tokens) ?? 0) - prompt - answer);
  return { input: Math.max(0, prompt - cacheRead), output: answer + thoughts, cacheRead, model };
}
