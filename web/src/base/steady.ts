/**
 * A yes by the mouse counts only where its button has stood still for a moment before the press came down: when a list
 * changes between aiming and pressing, another request's yes could stand under the pointer.
 */
const STEADY_MS = 300;
/** As slow as a double click may be: its second press was not meant for what came into the place of the first. */
const DOUBLE_MS = 700;
/** Where buttons stand is looked up this often; more often would only cost. */
const LOOK_MS = 100;

interface Stand {
  box: string;
  since: number;
}

const stands = new Map<Element, Stand>();
let looking: ReturnType<typeof setInterval> | undefined;
let countedAt = Number.NEGATIVE_INFINITY;
let press: { on: Element; steady: boolean; at: number } | undefined;

/** Watches where it stands, until the returned function is called. What is steady says so: `data-steady`. */
export function watchStand(button: HTMLElement): () => void {
  if (stands.size === 0) {
    looking = setInterval(look, LOOK_MS);
    addEventListener("pointerdown", judge, { capture: true });
  }
  stands.set(button, { box: boxOf(button), since: performance.now() });
  return () => {
    stands.delete(button);
    if (stands.size > 0) return;
    clearInterval(looking);
    removeEventListener("pointerdown", judge, { capture: true });
  };
}

/** Whether the latest press came down on this button while it stood still. */
export const wasSteady = (button: Element): boolean => press?.on === button && press.steady;

/** The latest press was taken for a yes. */
export function pressCounted(): void {
  if (press !== undefined) countedAt = press.at;
}

function look(): void {
  const now = performance.now();
  for (const [button, stand] of stands) {
    const box = boxOf(button);
    if (box !== stand.box) stands.set(button, { box, since: now });
    const rested = now - countedAt >= DOUBLE_MS && now - stand.since >= STEADY_MS;
    button.toggleAttribute("data-steady", box === stand.box && rested);
  }
}

/** At the moment of the press, as the device saw it: by the click the list may be another one. */
function judge({ target, timeStamp }: PointerEvent): void {
  press = undefined;
  if (!(target instanceof Element)) return;
  const again = timeStamp - countedAt < DOUBLE_MS;
  for (const [button, { box, since }] of stands) {
    if (!button.contains(target)) continue;
    const steady = !again && boxOf(button) === box && timeStamp - since >= STEADY_MS;
    press = { on: button, steady, at: timeStamp };
  }
}

function boxOf(element: Element): string {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left, top, width, height].map(Math.round).join(" ");
}
