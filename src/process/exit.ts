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
