import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

/** More than anybody reads; the file itself stays whole. */
const MOST_BYTES = 1024 * 1024;

export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** What was appended to it since it was that long; of much, the end. */
export function textAfter(path: string, before: number): string {
  if (sizeOf(path) <= before) return "";
  const fd = openSync(path, "r");
  try {
    const { size } = fstatSync(fd);
    const from = Math.max(before, size - MOST_BYTES);
    const bytes = Buffer.alloc(size - from);
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, from)).trimEnd();
  } finally {
    closeSync(fd);
  }
}
