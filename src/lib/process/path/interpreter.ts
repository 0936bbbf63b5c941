import { closeSync, openSync, readSync } from "node:fs";
import { errnoOf } from "../../files/disk-error.ts";
import { passedOver } from "./distrust.ts";
import { findExecutable } from "./executable.ts";

/**
 * The words that start a program. A script that says `#!/usr/bin/env node` has the PATH asked once more; where that leads to
 * places which agents can write to, we find the interpreter ourselves.
 */
export function withInterpreter(file: string, path: string): [string, ...string[]] {
  const words = passedOver(path).length === 0 ? undefined : interpreterIn(firstLine(file));
  if (words === undefined) return [file];
  const [name, ...args] = words;
  return [findExecutable(name, { path, cwd: "/" }), ...args, file];
}

/** The interpreter that `env` would look for, and its arguments. */
export function interpreterIn(line: string): [string, ...string[]] | undefined {
  const asked = /^#![ \t]*(?:\/usr)?\/bin\/env[ \t]+(?:-S[ \t]*)?([^\s=-][^\s=]*)([ \t]+.*)?$/.exec(line);
  if (asked?.[1] === undefined) return undefined;
  return [asked[1], ...(asked[2]?.trim().split(/[ \t]+/) ?? []).filter((word) => word !== "")];
}

/** As much of it as the kernel looks at. */
const MAX_BYTES = 256;

function firstLine(file: string): string {
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch (error) {
    if (errnoOf(error) === "EACCES") return ""; // then it is no script: nobody could read it to run it
    throw error;
  }
  try {
    const bytes = Buffer.alloc(MAX_BYTES);
    const [line = ""] = bytes.toString("latin1", 0, readSync(fd, bytes, 0, MAX_BYTES, 0)).split("\n");
    return line;
  } finally {
    closeSync(fd);
  }
}
