import { constants } from "node:os";

/** How a program ended. `code` follows the shell: 126, 127, 128+N. */
export interface Exit {
  code: number;
  signal?: string;
}

export function exitOf(code: number | null, signal: NodeJS.Signals | null): Exit {
  if (signal === null) return { code: code ?? 1 };
  return { code: 128 + constants.signals[signal], signal };
}

/** From a keeper, which tells by its own exit how the program it kept ended: as a shell does, 128+N for a signal. */
export function keptExit<T extends Exit>(exit: T): T {
  if (exit.signal !== undefined) return exit;
  const found = Object.entries(constants.signals).find(([, number]) => exit.code === 128 + number);
  return found === undefined ? exit : { ...exit, signal: found[0] };
}
