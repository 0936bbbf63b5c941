import { closeSync, constants, copyFileSync, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import type { RunPaths } from "../runs/run-directory.ts";
import { copyReadable } from "./recording.ts";

/** Every run leaves an output.md: the agent's own, else its final answer, else a copy of what it printed, as one would read it. */
export function ensureOutput(paths: RunPaths, finalAnswer: string): void {
  if (isFile(paths.output)) return;
  if (finalAnswer !== "") return writeFileAtomic(paths.output, `${finalAnswer}\n`);
  if (isFile(paths.stdout) && isFile(paths.cast)) return copyReadable(paths);
  if (isFile(paths.stdout)) return copyFileSync(paths.stdout, paths.output);
  writeFileAtomic(paths.output, "");
}

/** Its beginning, and how long it is in all; nothing while there is none, or where something else stands in its place. */
export function readOutput({ output }: RunPaths, maxBytes: number): { text: string; bytes: number } {
  let fd: number;
  try {
    fd = openSync(output, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ELOOP") return { text: "", bytes: 0 };
    throw error;
  }
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile()) return { text: "", bytes: 0 };
    const buffer = Buffer.alloc(Math.min(facts.size, maxBytes));
    const count = readSync(fd, buffer, 0, buffer.length, 0);
    // A character that the limit cuts in two is left out.
    return { text: new TextDecoder().decode(buffer.subarray(0, count), { stream: true }), bytes: facts.size };
  } finally {
    closeSync(fd);
  }
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
