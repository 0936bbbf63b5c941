import { type Prompt, promptOf } from "../state/agent-state.ts";
import type { Dialog } from "./dialog.ts";

/** A screen on which an agent asks something, told by words that stand on it. */
export interface Menu {
  type: Prompt["type"];
  subtype?: string;
  /** All of them are there. */
  words: readonly RegExp[];
}

/** The first menu of the list that is on the screen. One without a list of choices wants Enter, or a text. */
export function findMenu(menus: readonly Menu[], text: string): Menu | undefined {
  return menus.find(({ words }) => words.every((word) => word.test(text)));
}

export function promptFrom(menu: Menu, dialog: Dialog | undefined, fields: Partial<Prompt> = {}): Prompt {
  const { type, subtype } = menu;
  return promptOf(type, {
    ...(subtype === undefined ? {} : { subtype }),
    options: dialog?.options ?? [],
    ready: true,
    ...fields,
  });
}

/** The option that says one of these, in the order of the wishes. */
export function optionSaying(options: readonly string[], ...wishes: readonly RegExp[]): number | undefined {
  for (const wish of wishes) {
    const at = options.findIndex((label) => wish.test(label));
    if (at !== -1) return at;
  }
  return undefined;
}

/** The last line above a list of choices is what it asks. */
export const questionOf = ({ text }: Dialog): string => text.at(-1)?.trim() ?? "";
