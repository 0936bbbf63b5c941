/** A list of choices on the screen, the last one if there are several. */
export interface Dialog {
  options: string[];
  /** Which one Enter would take; `undefined` when nothing marks it. */
  selected: number | undefined;
  /** The lines above it, up to a rule or the edge of a box, without frames. */
  text: string[];
  /** The lines below it. */
  hints: string[];
}

export function readDialog(screen: readonly string[]): Dialog | undefined {
  const lines = screen.map(unframed);
  return numbered(lines) ?? marked(lines);
}

interface Row {
  at: number;
  mark: boolean;
  number: number;
  label: string;
}

/** `❯ 1. Yes`, counted from one. */
function numbered(lines: readonly string[]): Dialog | undefined {
  const rows: Row[] = [];
  for (const [at, line] of lines.entries()) {
    const match = NUMBERED.exec(line);
    if (match === null) continue;
    const [, mark = "", number = "", label = ""] = match;
    if (Number(number) === 1) rows.length = 0;
    if (Number(number) === rows.length + 1) rows.push({ at, mark: mark !== "", number: Number(number), label });
  }
  if (rows.length < 2) return undefined;
  // A list that an agent printed has no mark and no cursor; a menu has.
  if (!rows.some((row) => row.mark)) return undefined;
  return dialogOf(lines, rows);
}

/** `❯ No, exit` among lines that begin in the same column. */
function marked(lines: readonly string[]): Dialog | undefined {
  const at = lines.findLastIndex((line) => MARKED.test(line));
  const column = MARKED.exec(lines[at] ?? "")?.[1]?.length;
  if (column === undefined || !lines.slice(at).some((line) => /enter to|↵/i.test(line))) return undefined;
  const isOption = (line: string | undefined) =>
    line !== undefined && line.length > column && line.slice(0, column).trim() === "" && line[column] !== " ";
  let from = at;
  let to = at;
  while (isOption(lines[from - 1])) from -= 1;
  while (isOption(lines[to + 1])) to += 1;
  if (from === to) return undefined;
  const rows = lines.slice(from, to + 1).map((line, index) => ({
    at: from + index,
    mark: from + index === at,
    number: index + 1,
    label: line.slice(column).trim(),
  }));
  return dialogOf(lines, rows);
}

function dialogOf(lines: readonly string[], rows: readonly Row[]): Dialog {
  const first = rows[0]?.at ?? 0;
  const last = rows.at(-1)?.at ?? 0;
  const selected = rows.findIndex((row) => row.mark);
  const rule = lines.findLastIndex((line, at) => at < first && RULE.test(line));
  return {
    options: rows.map((row, index) => wholeLabel(lines, row, rows[index + 1]?.at ?? last + 1)),
    selected: selected === -1 ? undefined : selected,
    text: lines.slice(rule + 1, first).filter((line) => line.trim() !== ""),
    hints: lines.slice(last + 1).filter((line) => line.trim() !== ""),
  };
}

/** A label too long for its row goes on in the next one. What stands below a short one explains it. */
function wholeLabel(lines: readonly string[], row: Row, next: number): string {
  const width = Math.max(...lines.map((line) => line.length));
  let label = row.label.trim();
  for (let at = row.at; at + 1 < next && (lines[at]?.length ?? 0) > width - NEARLY_FULL; at += 1) {
    label = `${label} ${lines[at + 1]?.trim()}`;
  }
  return label;
}

const NEARLY_FULL = 20;

/** Boxes are drawn around many dialogs; what counts is inside. */
const unframed = (line: string) =>
  line
    .replace(/^(\s*)[│┃║|]/u, "$1 ")
    .replace(/\s*[│┃║|]\s*$/u, "")
    .trimEnd();

const NUMBERED = /^\s*([❯›>●◉▶➤]\s*)?(\d{1,2})[.)]\s+(\S.*)$/u;
const MARKED = /^(\s*[❯›▶➤●]\s+(?:[✔✓]\s+)?)\S/u;
/** Solid: thin and dashed ones are drawn within a dialog. */
const RULE = /^\s*[─━═▔╭╰┌└]{8,}/u;
