import { createStore } from "../base/store.ts";

export const help = createStore(false);
