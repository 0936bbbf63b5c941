/** What is shown of something long: how it begins, how it ends, and how much between the two is not shown. */
export interface Excerpt<T> {
  head: T;
  tail: T;
  hidden: number;
}

interface Long<T> {
  readonly length: number;
  slice(start: number, end?: number): T;
}

/**
 * People approve by what they see, and whoever wants to hide something puts it where nobody looks: at the end. So the end is
 * always shown too. Of a text `most` counts characters, of a list its members.
 */
export function excerpt(whole: string, most: number): Excerpt<string>;
export function excerpt<T>(whole: readonly T[], most: number): Excerpt<readonly T[]>;
export function excerpt<T extends Long<T>>(whole: T, most: number): Excerpt<T> {
  if (whole.length <= most) return { head: whole, tail: whole.slice(whole.length), hidden: 0 };
  const tail = Math.floor(most / 3);
  const head = most - tail;
  return { head: whole.slice(0, head), tail: whole.slice(whole.length - tail), hidden: whole.length - most };
}

/** What is missing, in words: "3,800 characters are not shown". */
export function notShown(hidden: number, one: string): string {
  return `${hidden.toLocaleString("en")} ${hidden === 1 ? `${one} is` : `${one}s are`} not shown`;
}
