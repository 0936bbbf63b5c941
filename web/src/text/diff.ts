import { excerpt } from "../../../src/contract/requests/excerpt.ts";

/** Beyond this a line is generated, not written. */
export const WIDEST = 1000;

/** A unified diff as lines with their numbers. */
export interface Hunk {
  header: string;
  lines: DiffLine[];
}

export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
  old?: number;
  new?: number;
}

export function parseDiff(unified: string): Hunk[] {
  const hunks: Hunk[] = [];
  let oldLine = 0;
  let newLine = 0;
  for (const line of unified.split("\n")) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)/.exec(line);
    if (header !== null) {
      oldLine = Number(header[1]);
      newLine = Number(header[2]);
      hunks.push({ header: line, lines: [] });
      continue;
    }
    const lines = hunks.at(-1)?.lines;
    if (lines === undefined) continue; // names and modes of the file
    const text = line.slice(1);
    if (line.startsWith("+")) lines.push({ kind: "added", text, new: newLine++ });
    else if (line.startsWith("-")) lines.push({ kind: "removed", text, old: oldLine++ });
    else if (line.startsWith(" ")) lines.push({ kind: "same", text, old: oldLine++, new: newLine++ });
  }
  return hunks;
}

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

export function countLines(unified: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const { lines } of parseDiff(unified)) {
    for (const { kind } of lines) {
      if (kind === "added") added += 1;
      else if (kind === "removed") removed += 1;
    }
  }
  return { added, removed };
}
