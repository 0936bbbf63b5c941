import { createStore } from "../base/store.ts";

/** An earlier prompt that is being changed and sent again. */
export const resendState = createStore<{ run: string; seq: number; text: string } | undefined>(undefined);
