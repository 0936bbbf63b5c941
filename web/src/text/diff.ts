import { excerpt } from "../../../src/contract/requests/excerpt.ts";
import type { DiffLine, Hunk } from "../../../src/contract/words/diff.ts";

/** Beyond this a line is generated, not written. */
export const WIDEST = 1000;

/** How it begins and how it ends, by lines; a hunk that is cut keeps its head. */
export function diffExcerpt(hunks: readonly Hunk[], most: number): { head: Hunk[]; tail: Hunk[]; hidden: number } {
  const all = hunks.flatMap((hunk) => hunk.lines.map((line) => ({ hunk, line })));
  const { head, tail, hidden } = excerpt(all, most);
  return { head: gathered(head), tail: gathered(tail), hidden };
}

function gathered(lines: readonly { hunk: Hunk; line: DiffLine }[]): Hunk[] {
  const hunks = new Map<Hunk, Hunk>();
  for (const { hunk, line } of lines) {
    const known = hunks.get(hunk) ?? { header: hunk.header, lines: [] };
    known.lines.push(line);
    hunks.set(hunk, known);
  }
  return [...hunks.values()];
}

export interface Pair {
  left: DiffLine | undefined;
  right: DiffLine | undefined;
}

/** Side by side: what was removed beside what came in its place. */
export function pairs({ lines }: Hunk): Pair[] {
  const rows: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i += 1)
      rows.push({ left: removed[i], right: added[i] });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === "added") added.push(line);
    else {
      flush();
      rows.push({ left: line, right: line });
    }
  }
  flush();
  return rows;
}
