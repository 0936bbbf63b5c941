import type { Exit } from "../../lib/process/exit.ts";
import type { Broadcast } from "./broadcast.ts";
import type { Screen } from "./screen.ts";

/** A terminal as somebody has it who sits before it: what it shows, and what is typed. */
export interface Console {
  readonly screen: Screen;
  /** Each piece of output, when it has come. */
  readonly output: Broadcast<Buffer>;
  /** How the program ended, once it has. */
  readonly exit: Exit | undefined;
  /** How much was typed so far. */
  readonly bytesWritten: number;
  /** Types. Returns how many bytes. */
  write(data: string | Uint8Array): number;
}
