import { readFileSync, statSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import { formatRunInfo, parseRunInfo, type RunInfo } from "../../../contract/runs/run.ts";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";

const MAX_BYTES = 1024 * 1024;

export function writeRunInfo(path: string, info: RunInfo): void {
  writeFileAtomic(path, formatRunInfo(info));
}

/** `undefined` when there is none; damage is an error that names the file. */
export function readRunInfo(path: string): RunInfo | undefined {
  let text: string;
  try {
    if (statSync(path).size > MAX_BYTES) throw damaged(path);
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
  return parseRunInfo(text) ?? fail(damaged(path));
}

function damaged(path: string): AppError {
  return new AppError("store.damaged", `read run-info: ${path}: not a run-info file; move the run's directory away`, {
    path,
  });
}

function fail(error: Error): never {
  throw error;
}
