import type { Content } from "../../../src/contract/events.ts";
import { createStore } from "../base/store.ts";

/** An earlier prompt that is being changed and sent again. */
export interface Resent {
  run: string;
  seq: number;
  text: string;
  /** Its images and files: they go with it. */
  others: readonly Content[];
}

export const resendState = createStore<Resent | undefined>(undefined);
