import { spawnSync } from "node:child_process";
import { AppError, messageOf } from "../../../contract/errors.ts";
import { DEFAULT_PATH } from "../path/distrust.ts";
import { findExecutable } from "../path/executable.ts";

/** How the terminal on our stdin is set, in the words that set another one alike. */
export function terminalModes(): string {
  return stty(["-g"]).trim();
}

/**
 * Every byte passes as it is, both ways. Node's own raw mode still turns each line feed into two characters on the way out,
 * and full-screen programs move the cursor with line feeds.
 */
export function makeRaw(): void {
  stty(["raw", "-echo", "-iexten"]);
}

export function restoreModes(modes: string): void {
  stty([modes]);
}

function stty(words: readonly string[]): string {
  const file = findExecutable("stty", { path: process.env.PATH ?? DEFAULT_PATH, cwd: "/" });
  const { status, stdout, error } = spawnSync(file, words, {
    stdio: ["inherit", "pipe", "ignore"],
    encoding: "utf8",
  });
  if (status === 0) return stdout;
  const why = error === undefined ? `it ended with ${status}` : messageOf(error);
  throw new AppError("platform.unsupported", `set the terminal with stty: ${why}`, {}, { cause: error });
}
