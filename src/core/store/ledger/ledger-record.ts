import { isName, isRunId } from "../../../contract/ids.ts";
import type { LedgerRecord } from "../../../contract/runs/run.ts";
import { isObject, Journal } from "../journal.ts";

/**
 * A line is one of ours when everything is there that a reader goes by: others can write into the file, and one line must not
 * keep anybody from the rest. What a newer version adds is passed over.
 */
export const isLedgerRecord = (value: unknown): value is LedgerRecord =>
  isObject(value) &&
  typeof value.run_id === "string" &&
  isRunId(value.run_id) &&
  isTime(value.at) &&
  (value.type === "gone" || (value.type === "start" && isStart(value)) || (value.type === "end" && isEnd(value)));

export const ledgerJournal = new Journal(isLedgerRecord);

type Fields = Record<string, unknown>;

const isStart = (value: Fields): boolean =>
  ["project", "task"].every((key) => isNameOf(value[key])) &&
  ["agent", "cwd", "title"].every((key) => typeof value[key] === "string") &&
  ["parent", "previous"].every((key) => value[key] === undefined || typeof value[key] === "string") &&
  (value.handle === undefined || Number.isSafeInteger(value.handle));

const isEnd = (value: Fields): boolean =>
  (value.status === "completed" || value.status === "failed") &&
  typeof value.reason === "string" &&
  ["exit_code", "cost_usd", "tokens", "turns"].every((key) => Number.isFinite(value[key]));

const isNameOf = (value: unknown): boolean => typeof value === "string" && isName(value);

const isTime = (value: unknown): boolean => typeof value === "string" && !Number.isNaN(Date.parse(value));
