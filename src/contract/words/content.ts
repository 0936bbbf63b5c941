import type { Body, Content } from "../events.ts";

/** The words of a prompt, without what is attached. */
export const wordsOf = (content: readonly Content[]): string =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");

/** The same with a name for whatever is attached: `[image chart.png]`. */
export const textOf = (content: readonly Content[]): string =>
  content.map((part) => (part.type === "text" ? part.text : `[${part.type} ${nameOf(part)}]`)).join("\n");

/** For agents that take nothing but words; `refuse` says what they were to take. */
export function onlyWords(content: readonly Content[], refuse: (what: string) => Error): string {
  const other = content.find((part) => part.type !== "text");
  if (other !== undefined) throw refuse(`${other.name ?? `an ${other.type}`}: text only`);
  return wordsOf(content);
}

type Attached = Exclude<Content, { type: "text" }>;

const nameOf = ({ name, mimeType }: Attached): string => (name ?? mimeType).replace(/\s+/g, " ");

/** What of a text is in the event itself: a large one lies elsewhere, and here is its beginning. */
export const beginningOf = (body: Body): string => (typeof body === "string" ? body : body.head);
