import { closeSync } from "node:fs";
import { isatty } from "node:tty";

const standard = [0, 1, 2].filter((fd) => isatty(fd));

/** A terminal that was ours at the start and has hung up: a closed window, a lost connection. */
export const isTerminalLost = (): boolean => standard.some((fd) => !isatty(fd));

/**
 * Node gives the terminal its modes back at the exit, and aborts where there is none to give them to. It leaves alone what is
 * closed.
 */
export function letGoOfLostTerminal(): void {
  for (const fd of standard) if (!isatty(fd)) closeSync(fd);
}
