import { deflateRawSync, inflateRawSync } from "node:zlib";
import { AppError } from "../../../contract/errors.ts";
import { isName, isRunId } from "../../../contract/ids.ts";

/** How far a reader of several runs has come. */
export interface Position {
  /** Bytes of the ledger. A run that began before and is not among `runs` has been read to its end. */
  ledger: number;
  /** When this was, in milliseconds: buses that are not named below were quiet for a while before. */
  at: number;
  /** The last event of each live run. */
  runs: ReadonlyMap<string, number>;
  /** Bytes of each bus (`project` or `project/task`) on which there was something lately. */
  buses: ReadonlyMap<string, number>;
}

export const beginning: Position = { ledger: 0, at: 0, runs: new Map(), buses: new Map() };

/** Larger ones are packed, because the client sends it back in a header. */
const PACK_BEYOND = 1200;
const MAX_UNPACKED = 4 * 1024 * 1024;

export function encodeCursor({ ledger, at, runs, buses }: Position): string {
  const json = JSON.stringify([ledger, at, Object.fromEntries(runs), Object.fromEntries(buses)]);
  if (json.length <= PACK_BEYOND) return `j${Buffer.from(json).toString("base64url")}`;
  return `z${deflateRawSync(json, { level: 1 }).toString("base64url")}`;
}

export function decodeCursor(text: string): Position {
  const value = unpack(text);
  if (!Array.isArray(value) || value.length !== 4 || !isCount(value[0]) || !isCount(value[1])) throw invalid();
  const runs = counts(value[2], isRunId);
  const buses = counts(value[3], isBusKey);
  return { ledger: value[0], at: value[1], runs, buses };
}

/** Keys become paths, so they are as narrow as names are. */
const isBusKey = (key: string): boolean => {
  const parts = key.split("/");
  return parts.length <= 2 && parts.every(isName);
};

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function counts(value: unknown, isKey: (key: string) => boolean): Map<string, number> {
  if (typeof value !== "object" || value === null) throw invalid();
  const entries = Object.entries(value);
  if (!entries.every(([key, count]) => isKey(key) && isCount(count))) throw invalid();
  return new Map(entries as [string, number][]);
}

function unpack(text: string): unknown {
  const bytes = Buffer.from(text.slice(1), "base64url");
  try {
    if (text.startsWith("j")) return JSON.parse(bytes.toString());
    if (text.startsWith("z")) return JSON.parse(inflateRawSync(bytes, { maxOutputLength: MAX_UNPACKED }).toString());
  } catch {
    // as any other that is none
  }
  throw invalid();
}

export const invalid = (): AppError =>
  new AppError("usage.invalid", "Last-Event-ID: not one of this stream; begin again without it");
