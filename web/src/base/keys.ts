import { useEffect, useRef } from "react";
import { keysRest, listenForPresses, restKeys } from "./key-rest.ts";
import { singleKeys } from "./single-keys.ts";
import { createStore, useStore } from "./store.ts";

/** What a key does where the page is now. `keys` is one key, or a sequence: `g b`. `mod+k` is Ctrl, or Command. */
export interface KeyBinding {
  keys: string;
  says: string;
  do: (event: KeyboardEvent) => void;
  /** Also while typing. */
  always?: boolean;
}

interface Layer {
  title: string;
  bindings: readonly KeyBinding[];
  /** Nothing below hears a key: a dialog. */
  modal: boolean;
}

const layers = createStore<readonly Layer[]>([]);
let begun = "";
let begunAt = 0;

/** As it is printed on the keyboard at hand. */
export const keyName = (key: string): string =>
  key.startsWith("mod+") ? `${isMac ? "⌘" : "Ctrl "}${key.slice(4).toUpperCase()}` : key;
const isMac = /Mac|iP/.test(navigator.platform);

export const useKeyLayers = (): readonly Layer[] => useStore(layers);

/** Binds keys as long as the component is there. The latest bindings win. */
export function useKeys(title: string, bindings: readonly KeyBinding[], modal = false): void {
  const current = useRef(bindings);
  current.current = bindings;
  const shape = bindings.map(({ keys }) => keys).join("\n");
  useEffect(() => {
    const stable = current.current.map((binding, i) => ({
      ...binding,
      do: (event: KeyboardEvent) => current.current[i]?.do(event),
    }));
    const layer = { title, bindings: stable, modal };
    layers.set([...layers.get(), layer]);
    return () => layers.set(layers.get().filter((other) => other !== layer));
  }, [title, modal, shape]);
}

export function listenForKeys(): void {
  listenForPresses();
  addEventListener("keydown", (event) => {
    const pressed = nameOf(event);
    if (pressed === undefined || event.defaultPrevented || pressesButton(event)) return;
    if (isLetter(event)) {
      const rests = keysRest(event.timeStamp);
      if (rests || isTyping(event)) restKeys(event.timeStamp);
      if (rests || !singleKeys.get()) return;
    }
    const sequence = begun !== "" && event.timeStamp - begunAt < 1500 ? `${begun} ${pressed}` : pressed;
    begun = "";
    const binding =
      find(sequence, isTyping(event)) ?? (sequence === pressed ? undefined : find(pressed, isTyping(event)));
    if (binding !== undefined) {
      event.preventDefault();
      binding.do(event);
    } else if (!isTyping(event) && beginsSequence(pressed)) {
      begun = pressed;
      begunAt = event.timeStamp;
    }
  });
}

function find(keys: string, typing: boolean): KeyBinding | undefined {
  for (const { bindings, modal } of layers.get().toReversed()) {
    const found = bindings.find((binding) => binding.keys === keys && (!typing || binding.always));
    if (found !== undefined || modal) return found;
  }
  return undefined;
}

const beginsSequence = (key: string) =>
  layers.get().some(({ bindings }) => bindings.some(({ keys }) => keys.startsWith(`${key} `)));

function nameOf({ key, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): string | undefined {
  if (isComposing || altKey || key === "Control" || key === "Meta" || key === "Shift" || key === "Alt")
    return undefined;
  return ctrlKey || metaKey ? `mod+${key.toLowerCase()}` : key;
}

/** What is typed as text: a letter, a digit, a sign. */
const isLetter = ({ key, ctrlKey, metaKey }: KeyboardEvent) => key.length === 1 && !ctrlKey && !metaKey;

/** The button that has the focus is pressed, whatever else the key may mean here. */
function pressesButton({ key, target }: KeyboardEvent): boolean {
  return (key === "Enter" || key === " ") && target instanceof Element && target.matches("button, a, summary");
}

function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button", "submit"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}
