import type { Report } from "../state/agent-state.ts";
import type { HookEvent } from "../state/hook-event.ts";

/** What one look tells; the tier is that of whoever looked. */
export type Observation = Omit<Report, "tier" | "heldMs">;

/** What is particular about one kind of agent in a terminal. All of it is pure: the doing is the same for all. */
export interface Driver {
  readonly agent: "claude" | "codex" | "gemini" | "unknown";
  /** Whether prompts can be typed into it: an unknown program may be anything. */
  readonly takesPrompts: boolean;
  /** `undefined`: this screen, unchanged for `quietMs`, says nothing. */
  readScreen?(lines: readonly string[], quietMs: number): Observation | undefined;
  readHook?(event: HookEvent): Observation | undefined;
  /** Its state is guessed from whether it prints. */
  readonly byOutput: boolean;
  /** With this exit code it asks to be started again. */
  readonly startsAgainAfter?: number;
  /** Its first Enter is sometimes taken for a part of the paste. */
  readonly retriesEnter: boolean;
  /** How a start-up screen is passed without a person, where there is nothing to decide: its option, or plain Enter. */
  passes?(subtype: string, options: readonly string[]): number | "enter" | undefined;
}
