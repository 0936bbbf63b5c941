import { closeSync, readSync } from "node:fs";
import { openRegularFile } from "../../lib/files/regular-file.ts";

const MAX_BYTES = 1024 * 1024;

/** The text of a small file of ours; `undefined` when there is none, or when it can't be one of ours. */
export function readSmallFile(path: string): string | undefined {
  const file = openRegularFile(path);
  if (file === undefined) return undefined;
  try {
    if (file.size > MAX_BYTES) return undefined;
    const bytes = Buffer.alloc(file.size);
    return bytes.toString("utf8", 0, readSync(file.fd, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file.fd);
  }
}
