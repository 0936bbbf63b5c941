export { oneLine, printable, revealed, revealedLine } from "../../../src/lib/text/printable.ts";

/** Beyond this nobody reads a title; a word of megabytes must not become a node of megabytes. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
