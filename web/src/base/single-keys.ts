import { storage } from "./storage.ts";
import { createStore } from "./store.ts";

/** Keys without Ctrl or Command do things. Whoever speaks to the computer, or hits keys by accident, turns them off. */
export const singleKeys = createStore(storage.read("single-keys", true));

export function setSingleKeys(on: boolean): void {
  storage.write("single-keys", on ? undefined : false);
  singleKeys.set(on);
}
