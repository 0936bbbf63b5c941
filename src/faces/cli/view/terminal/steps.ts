import type { Key } from "../live/keys.ts";

/**
 * How many places a key moves on, or back. A key that is held down comes several times in one reading; of other letters that come
 * together nobody knows whether they were typed, so they are none.
 */
export function stepOf(key: Key, onward: string, back: string): number {
  if (key.key === "right") return 1;
  if (key.key === "left") return -1;
  if (key.key !== "text" || key.pasted) return 0;
  const isAll = (letter: string) => Array.from(key.text).every((each) => each === letter);
  return isAll(onward) ? key.text.length : isAll(back) ? -key.text.length : 0;
}

/** The place that many further in a list of so many, as far as it goes. */
export const placeAfter = (at: number, step: number, count: number): number =>
  Math.min(Math.max(at + step, 0), count - 1);
