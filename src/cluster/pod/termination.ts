import { createHash } from "node:crypto";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { digestedText, encodeDigest } from "../../contract/outputs/outputs-digest.ts";
import { errnoOf } from "../../lib/files/disk-error.ts";

/** Where the kubelet looks, unless the pod says otherwise. */
const TERMINATION_LOG = "/dev/termination-log";

export const terminationLogOf = (env: NodeJS.ProcessEnv): string => env.COX_TERMINATION_LOG || TERMINATION_LOG;

/** Replaces whatever the agent may have left there. Outside a pod there is no such file, and none is made. */
export function writeDigest(
  path: string,
  lines: readonly string[],
  failure: string | undefined,
  warn: (text: string) => void,
): void {
  const message = encodeDigest(lines, createHash("sha256").update(digestedText(lines)).digest("hex"), failure);
  try {
    const fd = openSync(path, constants.O_WRONLY | constants.O_TRUNC);
    try {
      writeSync(fd, message);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") warn(`termination message: ${path}: ${errnoOf(error)}`);
  }
}
