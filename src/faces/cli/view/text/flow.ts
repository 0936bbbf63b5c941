import { columnsOf } from "../../../../lib/command/columns.ts";
import type { TextStyle } from "../lines/scroll.ts";

/**
 * Words in rows, while they still come in pieces: nothing is held back, and a word that grows beyond the edge moves to the next
 * row as a whole. Gives back what to write at the cursor, which stands behind all that was written before.
 */
export class Flow {
  /** Columns of the last row. */
  column = 0;
  /** Ends with an empty line: nothing to be set apart from. */
  blank = true;
  /** The word at the end of the row, as it was written. */
  #word = "";
  #wordColumns = 0;
  /** A blank had no room: what comes next begins a row. */
  #full = false;

  add(text: string, { paint, hang, verbatim }: TextStyle, width: number): string {
    const rows = new Rows(paint);
    for (const token of text.match(TOKEN) ?? []) {
      if (token === "\n") this.#endRow(rows);
      else if (verbatim) this.#append(rows, token, columnsOf(token, this.column), false);
      else if (BLANK.test(token)) this.#space(rows, token, width);
      else for (const part of partsOf(token)) this.#put(rows, part, hang, width);
    }
    return rows.end();
  }

  /** The terminal moved what is on it: the last word stays where it is. */
  forget(): void {
    this.#endWord();
  }

  #endRow(rows: Rows): void {
    this.blank = this.column === 0;
    rows.raw("\n");
    this.#begin(0);
  }

  #begin(column: number): void {
    this.column = column;
    this.#full = false;
    this.#endWord();
  }

  #endWord(): void {
    this.#word = "";
    this.#wordColumns = 0;
  }

  #space(rows: Rows, blanks: string, width: number): void {
    const columns = columnsOf(blanks, this.column);
    this.#full ||= this.column + columns > width;
    if (!this.#full) this.#append(rows, blanks, columns, false);
    this.#endWord();
  }

  /** A word that is longer than a row is broken by the terminal, which copies it as one. */
  #put(rows: Rows, part: string, hang: string, width: number): void {
    const columns = columnsOf(part);
    const indent = columnsOf(hang) > width / 2 ? "" : hang;
    if (WIDE.test(part)) this.#endWord();
    const isRowStart = this.column - this.#wordColumns <= columnsOf(indent);
    if (this.#full || (this.column + columns > width && !isRowStart)) this.#nextRow(rows, indent);
    this.#append(rows, part, columns, true);
  }

  #nextRow(rows: Rows, indent: string): void {
    const [word, columns] = [this.#word, this.#wordColumns];
    rows.raw(`${columns > 0 ? `\x1b[${columns}D\x1b[J` : ""}\n${indent}${word}`);
    this.#begin(columnsOf(indent) + columns);
    this.#word = word;
    this.#wordColumns = columns;
  }

  #append(rows: Rows, text: string, columns: number, isWord: boolean): void {
    rows.add(text);
    this.blank = false;
    this.column += columns;
    if (!isWord) return;
    this.#word += rows.paint(text);
    this.#wordColumns += columns;
    if (WIDE.test(text)) this.#endWord();
  }
}

/** Text in one colour as long as nothing else comes between. */
class Rows {
  readonly paint: (text: string) => string;
  #written = "";
  #open = "";

  constructor(paint: (text: string) => string) {
    this.paint = paint;
  }

  add(text: string): void {
    this.#open += text;
  }

  raw(text: string): void {
    this.#written = this.end() + text;
  }

  end(): string {
    const all = this.#written + this.paint(this.#open);
    this.#written = all;
    this.#open = "";
    return all;
  }
}

const TOKEN = /\n|[ \t]+|[^\n \t]+/g;
const BLANK = /^[ \t]/;
/** Signs between which a row may end: those of scripts that have no blanks, and pictures. With what is joined to them. */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60\p{Extended_Pictographic}]/u;
const PARTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60]\p{M}*|\p{Extended_Pictographic}(?:\p{M}|\u200d\p{Extended_Pictographic}|\p{Emoji_Modifier})*|[^]/gu;

/** A word without signs like these is one part. */
function partsOf(word: string): string[] {
  if (!/[^\x00-\u2fff]/u.test(word)) return [word];
  const parts: string[] = [];
  for (const part of word.match(PARTS) ?? []) {
    const last = parts.at(-1);
    if (last === undefined || WIDE.test(part) || WIDE.test(last)) parts.push(part);
    else parts[parts.length - 1] = last + part;
  }
  return parts;
}
