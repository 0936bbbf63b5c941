import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { ISOLATED_OUTPUT_FOLDER } from "../../../contract/runs/run.ts";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import type { RunPaths } from "../runs/run-directory.ts";

/** An agent's summary; what is longer is cut, because somebody has to read it. */
const MAX_OUTPUT = 16 * 1024 * 1024;

/**
 * An isolated agent sees neither its run's directory nor its task's. What it wrote into the one folder it was given is copied to
 * where others look for it: output.md, and DONE when the task is finished. Its files are not trusted: links and pipes there are
 * passed over.
 */
export function takeIsolatedOutput(paths: RunPaths, taskFolder: string): void {
  const output = contentOf(join(paths.dir, ISOLATED_OUTPUT_FOLDER, "output.md"), MAX_OUTPUT);
  if (output !== undefined) writeFileAtomic(paths.output, output);
  if (contentOf(join(paths.dir, ISOLATED_OUTPUT_FOLDER, "DONE"), 0) !== undefined)
    writeFileAtomic(join(taskFolder, "DONE"), "");
}

function contentOf(file: string, maxBytes: number): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined; // none, or nothing that we would open
  }
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile()) return undefined;
    const buffer = Buffer.alloc(Math.min(facts.size, maxBytes));
    return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(fd);
  }
}
