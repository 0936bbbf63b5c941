import { createStore } from "../base/store.ts";

/** Open with these values; `undefined` when closed. */
export const newTask = createStore<{ agent?: string; prompt?: string } | undefined>(undefined);
