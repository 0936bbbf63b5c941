import { useEffect, useRef } from "react";
import { problemText } from "../api/client.ts";
import { createStore, useStore } from "../base/store.ts";
import { IconButton } from "./button.tsx";

interface Toast {
  id: number;
  text: string;
  bad: boolean;
}

const toasts = createStore<readonly Toast[]>([]);
let next = 1;

export function say(text: string, bad = false): void {
  const toast = { id: next++, text, bad };
  toasts.set([...toasts.get().slice(-3), toast]);
  setTimeout(() => dismiss(toast.id), bad ? 12_000 : 4000);
}

const dismiss = (id: number) => toasts.set(toasts.get().filter((toast) => toast.id !== id));

/** Does it, and says so when it can't be done. True when it was. */
export async function attempt(doing: Promise<unknown>, done = ""): Promise<boolean> {
  try {
    await doing;
    if (done !== "") say(done);
    return true;
  } catch (error) {
    say(problemText(error), true);
    return false;
  }
}

export function Toasts() {
  const list = useStore(toasts);
  const box = useRef<HTMLDivElement>(null);
  // A dialog covers the page; what is shown as a popover after it lies above it.
  useEffect(() => {
    if (box.current === null || list.length === 0) return;
    if (box.current.matches(":popover-open")) box.current.hidePopover();
    box.current.showPopover();
  }, [list]);
  return (
    <div ref={box} popover="manual" className="toasts" role="status" aria-live="polite">
      {list.map(({ id, text, bad }) => (
        <div key={id} className={`toast ${bad ? "bad" : ""}`}>
          <span>{text}</span>
          <IconButton icon="cross" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
