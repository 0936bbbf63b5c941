import { eastAsianWidth } from "get-east-asian-width";

/** How many columns a text takes in a terminal. Colours take none. Wide letters and emoji are counted as nearly all terminals do. */
export function columnsOf(text: string, from = 0): number {
  let column = from;
  for (const character of text.replace(SGR, "")) {
    column = character === "\t" ? column + 8 - (column % 8) : column + columnsOfCharacter(character);
  }
  return column - from;
}

/** At most `width` columns, with a mark where something was cut off. The text must be without colours. */
export function fit(text: string, width: number, more = "…"): string {
  if (columnsOf(text) <= width) return text;
  const room = width - columnsOf(more);
  return room < 0 ? takeColumns(text, width) : `${takeColumns(text, room)}${more}`;
}

/** The same, but the end of the text is what stays: for a line that is being typed. */
export function fitEnd(text: string, width: number, more = "…"): string {
  return reversed(fit(reversed(text), width, reversed(more)));
}

const reversed = (text: string) => Array.from(text).toReversed().join("");

/** Broken at blanks where possible. Each paragraph keeps its own lines. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(width, 1)));
}

/** Broken between words only: a path, and a command in backticks, can be copied as one, and where they are too long the terminal breaks them. */
export function wrapWords(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    const rows: string[] = [];
    let row = line.match(/^ */)?.[0] ?? "";
    for (const word of line.match(/\S*`[^`]+`\S*|\S+/g) ?? []) {
      const isFirst = row.trim() === "";
      if (isFirst || columnsOf(row) + 1 + columnsOf(word) <= width) {
        row += isFirst ? word : ` ${word}`;
        continue;
      }
      rows.push(row);
      row = word;
    }
    return [...rows, row];
  });
}

/** A text behind a mark, below which its other rows begin. */
export function hanging(mark: string, text: string, width: number, broken = wrap): string[] {
  const indent = columnsOf(mark);
  return broken(text, width - indent).map((row, index) => `${index === 0 ? mark : " ".repeat(indent)}${row}`);
}

function wrapLine(line: string, width: number): string[] {
  const rows: string[] = [];
  let rest = line;
  for (;;) {
    const taken = takeColumns(rest, width);
    if (taken.length === rest.length) break;
    const head = taken || String.fromCodePoint(rest.codePointAt(0) ?? 0);
    const blank = head.lastIndexOf(" ");
    const cut = rest[head.length] !== " " && blank > 0 ? blank : head.length;
    rows.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return rest === "" && rows.length > 0 ? rows : [...rows, rest];
}

function takeColumns(text: string, width: number): string {
  let taken = "";
  let column = 0;
  for (const character of text) {
    column += character === "\t" ? 8 - (column % 8) : columnsOfCharacter(character);
    if (column > width) break;
    taken += character;
  }
  return taken;
}

function columnsOfCharacter(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return code < 0x20 ? 0 : 1;
  if (ZERO_WIDTH.test(character)) return 0;
  return eastAsianWidth(code);
}

const SGR = /\x1b\[[0-9;]*m/g;
const ZERO_WIDTH = /\p{Mn}|\p{Me}|\p{Cf}/u;
