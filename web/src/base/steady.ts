/**
 * A yes by the mouse counts only where its button has stood still for a moment before the press came down: when a list
 * changes between aiming and pressing, another request's yes could stand under the pointer.
 */
const STEADY_MS = 300;
/** Where buttons stand is looked up this often; more often would only cost. */
const LOOK_MS = 100;

interface Stand {
  box: string;
  since: number;
}

const stands = new Map<Element, Stand>();
let looking: ReturnType<typeof setInterval> | undefined;
let press: { on: Element; steady: boolean } | undefined;

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

function look(): void {
  const now = performance.now();
  for (const [button, stand] of stands) {
    const box = boxOf(button);
    if (box !== stand.box) stands.set(button, { box, since: now });
    button.toggleAttribute("data-steady", box === stand.box && now - stand.since >= STEADY_MS);
  }
}

/** At the moment of the press, as the device saw it: by the click the list may be another one. */
function judge({ target, timeStamp }: PointerEvent): void {
  press = undefined;
  if (!(target instanceof Element)) return;
  for (const [button, { box, since }] of stands) {
    if (button.contains(target))
      press = { on: button, steady: boxOf(button) === box && timeStamp - since >= STEADY_MS };
  }
}

function boxOf(element: Element): string {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left, top, width, height].map(Math.round).join(" ");
}
