import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { inbox, requestKey } from "../api/inbox.ts";
import { restKeys } from "../base/key-rest.ts";
import { useStore } from "../base/store.ts";
import { disturbs, listAfter, nothingShown, type ShownList, stepped } from "./shown-list.ts";

/** The requests of a screen as they come and go, with what the focus and the keys need of that. */
export function useShownList<T extends { run_id: string; pending_id: string }>(
  open: readonly T[],
  within: RefObject<HTMLElement | null>,
) {
  const [list, setList] = useState<ShownList<T>>(nothingShown);
  const fates = useStore(inbox, (now) => now.fates);
  const hadFocus = useRef(false);

  const follow = () => {
    const focused = focusedIn(within.current);
    // On the body it is lost, not elsewhere: two changes may come before it is put back.
    if (focused !== undefined || document.activeElement !== document.body) hadFocus.current = focused !== undefined;
    const isMine = (key: string) => ["sending", "done"].includes(fates.get(key)?.state ?? "");
    const after = listAfter(list, { open: open.map((item) => ({ key: requestKey(item), item })), focused, isMine });
    if (disturbs(list, after)) restKeys();
    setList(after);
  };
  useLayoutEffect(follow, [open, fates]);
  useFocusLeaving(
    within,
    list.shown.some(({ over }) => over),
    follow,
  );

  // Never to the body: keys would go on there, and whoever hears the page would be at its beginning. Looked after whatever was
  // drawn, for it is what is drawn that takes the focus away.
  const wasHere = useFocusHere(within);
  useLayoutEffect(() => {
    const isLost = () => (document.activeElement ?? document.body) === document.body;
    if (!isLost() || !(hadFocus.current || wasHere())) return;
    cardOf(list.current)?.focus({ preventScroll: true });
    if (isLost()) document.getElementById("content")?.focus({ preventScroll: true });
  });

  const choose = (key: string | undefined) => {
    if (key !== undefined && key !== list.current) setList({ ...list, current: key });
  };
  return {
    list,
    choose,
    /** By keys: seen, and with the focus, so that what reads aloud says it. */
    step(by: number) {
      const key = stepped(list, by);
      choose(key);
      const card = cardOf(key);
      card?.focus({ preventScroll: true });
      card?.parentElement?.scrollIntoView({ block: "nearest" });
    },
    /** Presses a button of the current request; where that is out of sight it is shown instead. */
    press(what: string) {
      const card = cardOf(list.current);
      if (card === undefined) return;
      if (isInSight(card)) return card.parentElement?.querySelector<HTMLElement>(what)?.click();
      card.parentElement?.scrollIntoView({ block: "nearest" });
      restKeys();
    },
  };
}

/** Whether the focus went into it last, and nowhere else since. */
function useFocusHere(within: RefObject<HTMLElement | null>): () => boolean {
  const isHere = useRef(false);
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      isHere.current = target instanceof Node && (within.current?.contains(target) ?? false);
    };
    addEventListener("focusin", note);
    return () => removeEventListener("focusin", note);
  }, [within]);
  return () => isHere.current;
}

/** Tells when the focus may have left a request that is kept for it: not while a button is held down, for then nothing moves. */
function useFocusLeaving(within: RefObject<HTMLElement | null>, isKept: boolean, left: () => void): void {
  const latest = useRef(left);
  latest.current = left;
  useEffect(() => {
    if (!isKept) return;
    let pressing = false;
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => latest.current()); // after the focus is where it goes, and after the click
    };
    const stop = new AbortController();
    const { signal } = stop;
    const release = () => {
      pressing = false;
      soon();
    };
    addEventListener("pointerdown", () => (pressing = true), { capture: true, signal });
    addEventListener("pointerup", release, { signal });
    addEventListener("pointercancel", release, { signal });
    within.current?.addEventListener("focusout", () => pressing || soon(), { signal });
    return () => {
      clearTimeout(waiting);
      stop.abort();
    };
  }, [isKept, within]);
}

const cardOf = (key: string | undefined) =>
  key === undefined
    ? undefined
    : (document.querySelector<HTMLElement>(`[data-request="${CSS.escape(key)}"]`) ?? undefined);

function focusedIn(element: HTMLElement | null): string | undefined {
  if (element === null || !element.contains(document.activeElement)) return undefined;
  const shown = document.activeElement?.closest("[data-shown]");
  return shown?.querySelector<HTMLElement>("[data-request]")?.dataset.request;
}

/** All of its ways to answer, and where it begins. */
function isInSight(card: HTMLElement): boolean {
  const { top, bottom } = card.getBoundingClientRect();
  const frame = card.closest(".screen")?.getBoundingClientRect();
  return top >= (frame?.top ?? 0) - 1 && bottom <= (frame?.bottom ?? innerHeight) + 1;
}
