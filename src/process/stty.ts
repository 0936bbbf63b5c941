import { spawnSync } from "node:child_process";
import { AppError } from "../contract/errors.ts";

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
  const { status, stdout, error } = spawnSync("stty", words, {
    stdio: ["inherit", "pipe", "ignore"],
    encoding: "utf8",
  });
  if (status === 0) return stdout;
  const why = error === undefined ? `it ended with ${status}` : "it is not on the PATH; install coreutils";
  throw new AppError("platform.unsupported", `set the terminal with stty: ${why}`, {}, { cause: error });
}
