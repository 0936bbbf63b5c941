/** A list on a screen, one line of which has the cursor. */
export interface Menu {
  options: readonly string[];
  at: number;
}

const CURSOR = /^(\s*)❯ (.*)$/;

/**
 * The menu that a dialog shows: the line with the cursor, and its neighbours that are indented as its text is. `undefined`
 * when there is none, or when it isn't clear which of several it is.
 */
export function readMenu(screen: string): Menu | undefined {
  const lines = screen.split("\n").map((line) => line.trimEnd());
  const cursors = lines.flatMap((line, at) => (CURSOR.test(line) ? [at] : []));
  const [at, second] = cursors;
  if (at === undefined || second !== undefined) return undefined;
  const indent = (CURSOR.exec(lines[at] ?? "")?.[1] ?? "").length;
  const first = at - runOf(lines.slice(0, at).toReversed(), indent);
  const last = at + runOf(lines.slice(at + 1), indent);
  const options = lines.slice(first, last + 1).map(labelOf);
  return options.length < 2 ? undefined : { options, at: at - first };
}

/** How many lines in a row belong to the menu. */
function runOf(lines: readonly string[], indent: number): number {
  const end = lines.findIndex((line) => !isOption(line, indent));
  return end === -1 ? lines.length : end;
}

/** Texts begin two columns behind the cursor; a mark (✔) may push them further. */
function isOption(line: string, indent: number): boolean {
  const before = line.length - line.trimStart().length;
  return line.trim() !== "" && before >= indent + 2 && before <= indent + 4;
}

/** Without cursor, mark and number. */
const labelOf = (line: string): string =>
  line
    .trim()
    .replace(/^❯ /, "")
    .replace(/^[✔✓] /, "")
    .replace(/^\d+\. /, "")
    .trim();
