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

/**
 * A unified diff as lines with their numbers. What agents send is often only the beginning of one, or counts its lines wrongly:
 * a reader that insists on the counts, as the `diff` package's does, would show nothing of it.
 */
export function readDiff(unified: string): Hunk[] {
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

export interface DiffCount {
  added: number;
  removed: number;
}

export function countLines(unified: string): DiffCount {
  let added = 0;
  let removed = 0;
  for (const { lines } of readDiff(unified)) {
    for (const { kind } of lines) {
      if (kind === "added") added += 1;
      else if (kind === "removed") removed += 1;
    }
  }
  return { added, removed };
}

/** Everything in it is a line of a hunk, or what stands above one: nothing would be left out where only hunks are shown. */
export function isAllHunks(unified: string): boolean {
  const lines = unified.split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@ "));
  if (first === -1) return false;
  return (
    lines.slice(0, first).every((line) => line === "" || HEADER.test(line)) &&
    lines.slice(first).every((line) => line === "" || /^(?:[-+ \\]|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)/.test(line))
  );
}

const HEADER =
  /^(?:diff |index |--- |\+\+\+ |Index: |={10}|(?:new|deleted) file mode |(?:old|new) mode |(?:dis)?similarity |(?:rename|copy) (?:from|to) )/;
