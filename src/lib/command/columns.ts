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
export function fit(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  return width < 1 ? "" : `${takeColumns(text, width - 1)}…`;
}

/** The same, but the end of the text is what stays: for a line that is being typed. */
export function fitEnd(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  return width < 1 ? "" : `…${reversed(takeColumns(reversed(text), width - 1))}`;
}

const reversed = (text: string) => Array.from(text).toReversed().join("");

/** Broken at blanks where possible. Each paragraph keeps its own lines. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(width, 1)));
}

function wrapLine(line: string, width: number): string[] {
  const rows: string[] = [];
  let rest = line;
  while (columnsOf(rest) > width) {
    const head = takeColumns(rest, width) || Array.from(rest)[0] || "";
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
