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
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

const SGR = /\x1b\[[0-9;]*m/g;
const ZERO_WIDTH = /\p{Mn}|\p{Me}|\p{Cf}/u;
/** East Asian wide and full-width ranges, and emoji. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x26a1, 0x26a1],
  [0x2705, 0x2705],
  [0x274c, 0x274c],
  [0x2753, 0x2755],
  [0x2757, 0x2757],
  [0x2795, 0x2797],
  [0x2b50, 0x2b50],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];
