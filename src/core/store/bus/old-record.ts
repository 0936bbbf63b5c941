import { crc32 } from "node:zlib";
import { type BusMessage, messageFrom } from "../../../contract/bus.ts";
import type { Body } from "../../../contract/events.ts";
import { parseRecord } from "../../../lib/files/journal-line.ts";
import { CHECK_BYTES, checkText } from "./record.ts";

export const OLD_HEAD = '{"id":"';

/**
 * A message as one line of JSON, its body included: so they were written before there were heads. A line without a check was
 * written by hand. `undefined` when it is none, or damaged.
 */
export function parseOldRecord(line: Buffer, cursor: string): BusMessage | undefined {
  const value = parseRecord(line, 0, line.length);
  if (value === undefined || !isBody(value.body)) return undefined;
  if (value.crc !== undefined && !isWholeOldRecord(line)) return undefined;
  const { id, time, project, task, run } = value;
  const head = { ...value, msg_id: id, ts: time, project_id: project, task_id: task, run_id: run };
  const message = messageFrom(head, value.body, cursor);
  if (message !== undefined && value.crc === undefined) message.unverified = true;
  return message;
}

export function isWholeOldRecord(line: Buffer): boolean {
  const checked = line.subarray(0, -CHECK_BYTES);
  return line.toString("latin1", checked.length) === checkText(crc32(checked));
}

function isBody(value: unknown): value is Body {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null) return false;
  const { head, bytes, sha256 }: { head?: unknown; bytes?: unknown; sha256?: unknown } = value;
  return typeof head === "string" && typeof bytes === "number" && typeof sha256 === "string";
}
