import type { Figures } from "./figures.ts";

/** What the repository says at the end, as far as there is one. */
export interface RepositoryFacts {
  branch?: string;
  pullRequests: readonly string[];
  commit?: string;
  baseBranch?: string;
}

/** A response beyond this would crowd everything else out of the Task's status, where it is kept. */
const MAX_RESPONSE_BYTES = 128 * 1024;

/** The lines of the block, in the order of the interface. */
export function outputLines(facts: RepositoryFacts, figures: Figures): string[] {
  const pairs: [string, string | undefined][] = [
    ["branch", facts.branch],
    ...facts.pullRequests.map((url): [string, string] => ["pr", url]),
    ["commit", facts.commit],
    ["base-branch", facts.baseBranch],
    ["input-tokens", figures.inputTokens],
    ["output-tokens", figures.outputTokens],
    ["cost-usd", figures.costUsd],
    ["response", figures.response && encoded(figures.response)],
  ];
  return pairs.flatMap(([key, value]) => (isOneLine(value) ? `${key}: ${value}` : []));
}

/** Lines are all the structure there is: a value with a line end in it would be two outputs. */
const isOneLine = (value: string | undefined): value is string =>
  value !== undefined && value !== "" && !/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(value);

function encoded(text: string): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= MAX_RESPONSE_BYTES) return bytes.toString("base64");
  const tail = `\n[cut here: ${bytes.length} bytes in all]`;
  // Not in the middle of a character.
  const head = new TextDecoder().decode(bytes.subarray(0, MAX_RESPONSE_BYTES), { stream: true });
  return Buffer.from(head + tail, "utf8").toString("base64");
}
