/**
 * What an agent's pod says it produced: lines of `key: value` between two marker lines in its log. Pure, because the pod that
 * writes, the operator that reads and the page that shows share it. The digest of the same lines is in outputs-digest.ts.
 */
export const OUTPUTS_START = "---KELOS_OUTPUTS_START---";
export const OUTPUTS_END = "---KELOS_OUTPUTS_END---";

/** More than this is not kept of one block: it would not fit into an object of the cluster together with the rest. */
export const MAX_OUTPUTS_BYTES = 256 * 1024;

/** Nothing to say, no markers. */
export function formatOutputs(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${[OUTPUTS_START, ...lines, OUTPUTS_END].join("\n")}\n`;
}

/** Finds the last complete block in a log, line by line, in the memory of one block. */
export interface BlockScan {
  open: string[] | undefined;
  bytes: number;
  found: string[] | undefined;
  /** The last block was more than can be kept; `found` is the beginning of it. */
  tooLarge: boolean;
  /** Where the digest tells which block is the right one, others are passed over. */
  readonly isWanted: (lines: readonly string[]) => boolean;
}

export const noBlock = (isWanted: BlockScan["isWanted"] = () => true): BlockScan => ({
  open: undefined,
  bytes: 0,
  found: undefined,
  tooLarge: false,
  isWanted,
});

/**
 * A marker counts only when it is the whole line: an agent that quotes one, or prints a file that does, has not spoken for
 * its pod. `undefined` stands for a line too long to be read.
 */
export function scanLine(scan: BlockScan, raw: string | undefined): void {
  const line = raw?.endsWith("\r") ? raw.slice(0, -1) : raw;
  if (line === OUTPUTS_START) {
    scan.open = [];
    scan.bytes = 0;
  } else if (scan.open === undefined) {
    return;
  } else if (line === OUTPUTS_END) {
    const tooLarge = scan.bytes > MAX_OUTPUTS_BYTES;
    if (tooLarge || scan.isWanted(scan.open)) Object.assign(scan, { found: scan.open, tooLarge });
    scan.open = undefined;
  } else {
    scan.bytes += line?.length ?? MAX_OUTPUTS_BYTES + 1;
    const text = line?.trim() ?? "";
    if (text !== "" && scan.bytes <= MAX_OUTPUTS_BYTES) scan.open.push(text);
  }
}

/** The lines of the last complete block; nothing when there is none, or only blank lines. */
export function parseOutputs(log: string): string[] {
  const scan = noBlock();
  for (const line of log.split("\n")) scanLine(scan, line);
  return scan.found ?? [];
}

/** Split at the first `: `. Lines without one are no results; of a repeated key the last counts. */
export function resultsOf(outputs: readonly string[]): Record<string, string> {
  const pairs = outputs.flatMap((line): [string, string][] => {
    const key = keyOf(line);
    return key === undefined ? [] : [[key, line.slice(key.length + 2)]];
  });
  // Not by assignment: a key called __proto__ is a key like any other.
  return Object.fromEntries(pairs);
}

export function keyOf(line: string): string | undefined {
  const at = line.indexOf(": ");
  return at <= 0 ? undefined : line.slice(0, at);
}

export interface TaskUsage {
  inputTokens?: number;
  outputTokens?: number;
  costUSD?: string;
}

/** What the results say was used; a figure that is none is left out. */
export function usageOf(results: Readonly<Record<string, string>>): TaskUsage | undefined {
  const usage: TaskUsage = {};
  const tokens = (text: string | undefined) => (/^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined);
  const input = tokens(results["input-tokens"]);
  const output = tokens(results["output-tokens"]);
  const cost = results["cost-usd"];
  if (input !== undefined) usage.inputTokens = input;
  if (output !== undefined) usage.outputTokens = output;
  if (cost !== undefined && /^\d{1,9}(\.\d{1,18})?(e-?\d{1,2})?$/i.test(cost)) usage.costUSD = cost;
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** The sum over attempts: a first attempt that failed cost something too. */
export function addUsage(a: TaskUsage | undefined, b: TaskUsage | undefined): TaskUsage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const sum: TaskUsage = {};
  if (a.inputTokens !== undefined || b.inputTokens !== undefined)
    sum.inputTokens = (a.inputTokens ?? 0) + (b.inputTokens ?? 0);
  if (a.outputTokens !== undefined || b.outputTokens !== undefined) {
    sum.outputTokens = (a.outputTokens ?? 0) + (b.outputTokens ?? 0);
  }
  if (a.costUSD !== undefined || b.costUSD !== undefined) {
    sum.costUSD = String(Number((Number(a.costUSD ?? 0) + Number(b.costUSD ?? 0)).toFixed(9)));
  }
  return sum;
}

/** The last response, which travels as base64 because outputs are lines. */
export function responseOf(results: Readonly<Record<string, string>>): string | undefined {
  const encoded = Object.hasOwn(results, "response") ? results.response : undefined;
  if (encoded === undefined) return undefined;
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0)));
  } catch {
    return undefined; // whoever wrote the block by hand wrote something else there
  }
}
