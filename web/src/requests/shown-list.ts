/** The requests that stand on a screen, and which of them keys act on: by its name, never by its place. */
export interface ShownList<T> {
  shown: readonly Shown<T>[];
  current: string | undefined;
}

export interface Shown<T> {
  key: string;
  item: T;
  /** Somebody else answered it, and it is shown only because the focus is in it. */
  over: boolean;
}

export const nothingShown = { shown: [], current: undefined } as const;

/** What happened to the open requests: all of them now, the one that has the focus, and which ones this page answered. */
interface Change<T> {
  open: readonly { key: string; item: T }[];
  focused: string | undefined;
  isMine: (key: string) => boolean;
}

/**
 * What is shown after a change. A request that has the focus stays, marked, when somebody else answers it: whoever types there
 * goes on typing there. When the current one leaves, the one that takes its place is current.
 */
export function listAfter<T>(before: ShownList<T>, { open, focused, isMine }: Change<T>): ShownList<T> {
  const shown = open.map(({ key, item }): Shown<T> => ({ key, item, over: false }));
  const isOpen = (key: string) => open.some((each) => each.key === key);
  const held = before.shown.find(({ key }) => key === focused && !isOpen(key) && !isMine(key));
  if (held !== undefined) shown.splice(placeOf(before, held.key, isOpen), 0, { ...held, over: true });
  const { current } = before;
  if (current !== undefined && shown.some(({ key }) => key === current)) return { shown, current };
  const place = current === undefined ? 0 : placeOf(before, current, isOpen);
  return { shown, current: (shown[place] ?? shown.at(-1))?.key };
}

/** How many of those before it are still there. */
function placeOf<T>({ shown }: ShownList<T>, key: string, isThere: (key: string) => boolean): number {
  const index = shown.findIndex((each) => each.key === key);
  return shown.slice(0, Math.max(index, 0)).filter((each) => isThere(each.key)).length;
}

/** So many further. */
export function stepped<T>({ shown, current }: ShownList<T>, by: number): string | undefined {
  const index = shown.findIndex(({ key }) => key === current);
  return shown[Math.max(0, Math.min(index + by, shown.length - 1))]?.key;
}

/** Whether what a person looks at became another, or moved: what is added or leaves below it disturbs nobody. */
export function disturbs<T>(before: ShownList<T>, after: ShownList<T>): boolean {
  if (before.current !== after.current) return true;
  const upTo = ({ shown, current }: ShownList<T>) =>
    shown
      .slice(0, shown.findIndex(({ key }) => key === current) + 1)
      .map(({ key, over }) => `${key} ${over}`)
      .join("\n");
  return upTo(before) !== upTo(after);
}
