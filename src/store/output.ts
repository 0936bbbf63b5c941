import { copyFileSync, lstatSync } from "node:fs";
import { writeFileAtomic } from "../base/atomic-file.ts";
import { errnoOf } from "../base/disk-error.ts";
import type { RunPaths } from "./run-directory.ts";

/** Every run leaves an output.md: the agent's own, else its final answer, else a copy of what it printed. */
export function ensureOutput(paths: RunPaths, finalAnswer: string): void {
  if (isFile(paths.output)) return;
  if (finalAnswer !== "") return writeFileAtomic(paths.output, `${finalAnswer}\n`);
  if (isFile(paths.stdout)) return copyFileSync(paths.stdout, paths.output);
  writeFileAtomic(paths.output, "");
}

/** A link or a folder in its place is not the agent's output: what it points to is none of our business. */
function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}
