import { excerpt, notShown } from "../../../src/contract/requests/excerpt.ts";

/** How a text begins and how it ends; between the two, how much of it is not shown. */
export function Excerpted({ text, most }: { text: string; most: number }) {
  const { head, tail, hidden } = excerpt(text, most);
  if (hidden === 0) return text;
  return (
    <>
      {head}
      <mark className="not-shown">… {notShown(hidden, "character")} …</mark>
      {tail}
    </>
  );
}
