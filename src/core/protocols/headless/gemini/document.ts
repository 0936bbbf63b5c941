import type { Usage } from "../../../../contract/events.ts";
import { isObject, type Json, numberOf, objectOf, textOf } from "../../read.ts";

/** What `gemini -o json` prints: one object per turn, without a type. */
export const isDocument = (line: Json): boolean =>
  line.type === undefined && (textOf(line.response) !== undefined || isObject(line.stats) || isObject(line.error));

/** Of all models that were asked in the turn; it is named after the one that was asked most. */
export function documentUsage(stats: Json): Usage | undefined {
  const models = Object.entries(objectOf(stats.models)).map(([model, figures]) => ({
    model,
    calls: numberOf(objectOf(objectOf(figures).api).totalRequests) ?? 0,
    tokens: objectOf(objectOf(figures).tokens),
  }));
  const [most] = models.toSorted((a, b) => b.calls - a.calls);
  if (most === undefined) return undefined;
  const sum = (name: string) => models.reduce((all, { tokens }) => all + (numberOf(tokens[name]) ?? 0), 0);
  const [prompt, cacheRead, reasoning] = [sum("prompt"), sum("cached"), sum("thoughts")];
  const output = sum("candidates") + reasoning;
  if (prompt + output === 0) return undefined;
  return { input: Math.max(0, prompt - cacheRead), output, cacheRead, reasoning, model: most.model };
}
