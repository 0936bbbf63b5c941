import { createStore } from "../base/store.ts";

export const commandBar = createStore(false);
