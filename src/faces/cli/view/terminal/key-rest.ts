/**
 * What is new on the screen takes keys only after this long without typing: whoever is in the middle of a word when it appears
 * must not allow something by its next letter. As long as on the page.
 */
const SETTLE_MS = 500;

/** Keys rest since then; or they do no longer. */
export interface KeyRest {
  readonly isOver: boolean;
  readonly since: number;
}

export const restingSince = (now: number): KeyRest => ({ isOver: false, since: now });

/**
 * A key that means nothing here is the middle of something that was meant for elsewhere, a command line for the other window: whoever
 * uses it lets the rest begin anew, so that the next letter of it decides nothing.
 *
 * A key is pressed: it counts if the rest is over by then; else the rest begins anew.
 */
export function keyIn(rest: KeyRest, now: number): KeyRest {
  if (rest.isOver) return rest;
  return now - rest.since >= SETTLE_MS ? { ...rest, isOver: true } : restingSince(now);
}
