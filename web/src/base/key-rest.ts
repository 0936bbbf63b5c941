/**
 * Single keys rest after what they act on has changed by itself, and while somebody types: whoever is in the middle of a word
 * must not allow something by its next letter. Each further key prolongs the rest: a word is over when a pause says so.
 */
const REST_MS = 500;

let until = 0;
/** A button of the mouse, or a finger, is down: what it means isn't said before it is up again. */
let isPressing = false;
let waking: ReturnType<typeof setTimeout> | undefined;

export function restKeys(since: number = performance.now()): void {
  until = Math.max(until, since + REST_MS);
  document.documentElement.dataset.keys = "resting";
  clearTimeout(waking);
  waking = setTimeout(wake, until - performance.now());
}

/** Judged by when the key was pressed, not by when the page came to hear of it. */
export const keysRest = (pressedAt: number): boolean => isPressing || pressedAt < until;

export function listenForPresses(): void {
  addEventListener("pointerdown", () => (isPressing = true), { capture: true });
  for (const end of ["pointerup", "pointercancel"])
    addEventListener(end, () => (isPressing = false), { capture: true });
}

/** Seen by the keycaps only. */
function wake(): void {
  delete document.documentElement.dataset.keys;
}
