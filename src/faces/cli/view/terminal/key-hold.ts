import type { Clock } from "../../../../lib/base/clock.ts";
import type { Key } from "../live/keys.ts";

/**
 * A key that decides something counts only when no other follows within this time, or with Enter at once: whoever types on meant a
 * command line for another window, of which it was the first letter.
 */
const HOLD_MS = 300;
/** How long the keyboard is read for the last time. */
const LOOK_MS = 20;

/** A key that decides something, before it counts. */
export interface HeldKey {
  readonly key: Key;
  /** What it will do. */
  readonly does: string;
}

/** What comes of a key: it waits, it is used, or the one that waited is used or taken back by it. */
export type HoldStep = { hold: HeldKey } | { use: Key } | { takenBack: HeldKey };

/** `decision`: what a key would decide all by itself, in words. */
export function holdStep(held: HeldKey | undefined, key: Key, decision: (key: Key) => string | undefined): HoldStep {
  if (held !== undefined) return key.key === "enter" ? { use: held.key } : { takenBack: held };
  const does = decision(key);
  return does === undefined ? { use: key } : { hold: { key, does } };
}

/** Where letters are text, one that was taken back as an answer is the first of a text. */
export const asText = ({ key }: HeldKey): Key | undefined =>
  key.key === "text" ? { ...key, pasted: true } : undefined;

/** What is said while a key is held. */
export const heldWords = ({ does }: HeldKey, more: string): string => `${does} ${more} any other key cancels`;

/**
 * Calls back when a key was held long enough; the returned function takes it back. In two steps, so that the keyboard is read
 * between them: where this process was stopped or busy meanwhile, what was typed is still to be read when the time is over.
 */
export function whenHeld(clock: Clock, call: () => void): () => void {
  let takeBack = clock.after(HOLD_MS - LOOK_MS, () => {
    takeBack = clock.after(LOOK_MS, call);
  });
  return () => takeBack();
}
