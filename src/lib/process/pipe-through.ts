import { spawn } from "node:child_process";
import type { Stream } from "node:stream";
import { AppError } from "../../contract/errors.ts";

export interface PipeThrough {
  /** To be given to the program as its stdout. */
  readonly end: Stream;
  /** Once the program has it: ours is closed, so that the copying ends with the last program that writes. */
  release(): void;
  /** Never rejects. */
  readonly done: Promise<void>;
}

/**
 * A pipe into a file, for programs that refuse to write to a file. A `cat` of its own copies, not we: the bytes must reach the
 * file when we are killed. It stands in its own group and lacks the run's marker, so no stop ends it before its input does.
 */
export function pipeThrough(fd: number): PipeThrough {
  const cat = spawn("/bin/cat", [], { stdio: ["pipe", fd, "ignore"], detached: true, env: {} });
  const { stdin } = cat;
  if (stdin === null) throw new AppError("internal", "pipe stdout: cat has no stdin");
  const done = new Promise<void>((resolve) => {
    cat.once("exit", () => resolve());
    cat.once("error", () => resolve());
  });
  stdin.on("error", () => {});
  return { end: stdin, release: () => stdin.destroy(), done };
}
