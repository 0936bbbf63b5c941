import type { Paint } from "../../../../lib/command/paint.ts";
import { inline, type Look } from "./inline.ts";

/** Text in one look, and how it goes on in the next row when it is broken. */
export interface Piece {
  text: string;
  paint(text: string): string;
  /** What rows after the first begin with. */
  hang: string;
  /** Code is broken by nobody but the terminal: it can be copied as it is. */
  verbatim?: true;
}

/** What a line is, as far as all of it looks alike. */
interface Block {
  hang: string;
  look: Look;
}

/**
 * Markdown that arrives in pieces, as pieces to show. Of a line only its beginning is held back, until it is clear what it is, and
 * what may still turn out to be bold, code or a link. Without colours the marks stay: they say the same.
 */
export class Markdown {
  readonly #paint: Paint;
  readonly #keepMarks: boolean;
  /** What came of this line and isn't shown yet. */
  #held = "";
  /** The character shown last in this line. */
  #before = "";
  /** Unknown while the line could still be several things. */
  #block: Block | undefined;
  /** The marks that opened the code we are in. */
  #fence: string | undefined;

  constructor(paint: Paint) {
    this.#paint = paint;
    this.#keepMarks = paint.bold("x") === "x";
  }

  add(text: string): Piece[] {
    const pieces: Piece[] = [];
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) {
        pieces.push(...this.end(), { text: "\n", paint: same, hang: "" });
        this.#block = undefined;
        this.#before = "";
      }
      this.#held += part;
      pieces.push(...this.#advance(false));
    }
    return pieces;
  }

  /** Nothing more comes, or not for now: what was held back is shown as it is. */
  end(): Piece[] {
    const pieces = this.#advance(true);
    // What comes after that in the same line goes on with it.
    if (pieces.length > 0) this.#block ??= { hang: "", look: {} };
    return pieces;
  }

  #advance(final: boolean): Piece[] {
    if (this.#held === "") return [];
    if (this.#fence !== undefined) return this.#code(this.#fence, final);
    const pieces: Piece[] = [];
    if (this.#block === undefined) {
      const begun = this.#begin(final);
      if (begun === undefined) return [];
      pieces.push(...begun);
    }
    const { hang, look } = this.#block ?? { hang: "", look: {} };
    const { spans, rest } = inline(this.#held, { final, before: this.#before, keepMarks: this.#keepMarks });
    this.#held = rest;
    for (const span of spans) {
      const paint = painter({ ...look, ...span.look }, this.#paint);
      pieces.push({ text: span.text, paint, hang });
      this.#before = span.text.at(-1) ?? this.#before;
    }
    return pieces;
  }

  #code(fence: string, final: boolean): Piece[] {
    const isLineStart = this.#block === undefined;
    if (isLineStart && !final && MAY_CLOSE.test(this.#held)) return [];
    const isEnd = isLineStart && CLOSES.exec(this.#held)?.[1]?.startsWith(fence) === true;
    if (isEnd) this.#fence = undefined;
    return [this.#whole(isEnd ? this.#paint.dim : this.#paint.cyan)];
  }

  /** All that is held, without looking into it. */
  #whole(paint: Piece["paint"]): Piece {
    const text = this.#held;
    this.#held = "";
    this.#block ??= { hang: "", look: {} };
    return { text, paint, hang: "", verbatim: true };
  }

  /** What the line begins with, once that is clear. */
  #begin(final: boolean): Piece[] | undefined {
    const { dim, bold, cyan, marks } = this.#paint;
    const [quote = ""] = QUOTE.exec(this.#held) ?? [];
    const text = this.#held.slice(quote.length);
    if (!final && UNDECIDED.test(text)) return undefined;
    const [, fence] = quote === "" ? (FENCE.exec(text) ?? []) : [];
    this.#fence = fence;
    if (fence !== undefined || RULE.test(text)) return [this.#whole(dim)];
    const [head = "", indent = "", hashes, bullet] = HEAD.exec(text) ?? [];
    const lead = `${marks.box.side} `.repeat(quote.replace(/[^>]/g, "").length);
    this.#held = text.slice(head.length);
    const begin = (said: string, paint: Piece["paint"], block: Partial<Block>): Piece[] => {
      this.#block = { hang: dim(lead) + " ".repeat(said.length), look: {}, ...block };
      const pieces = [
        { text: lead, paint: dim, hang: "" },
        { text: said, paint, hang: "" },
      ];
      return pieces.filter((piece) => piece.text !== "");
    };
    if (hashes !== undefined) {
      return begin(this.#keepMarks ? head : "", bold, { hang: dim(lead), look: { strong: true } });
    }
    return begin(bullet === undefined ? head : `${indent}${marks.bullet} `, head === indent ? same : cyan, {});
  }
}

const same = (text: string) => text;

function painter({ strong, emphasis, code, address }: Look, paint: Paint): Piece["paint"] {
  return (text) => {
    const coloured = code ? paint.cyan(text) : address ? paint.dim(text) : text;
    const slanted = emphasis ? paint.italic(coloured) : coloured;
    return strong ? paint.bold(slanted) : slanted;
  };
}

const QUOTE = /^(?: {0,3}>[ \t]?)+/;
/** Its indentation, and the marks of headings and lists. */
const HEAD = /^([ \t]*)(?:(#{1,6})[ \t]+|([-*+])(?:[ \t]+|$)|\d{1,9}[.)][ \t]+)?/;
const RULE = /^[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const FENCE = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/;
const CLOSES = /^[ \t]*(`{3,}|~{3,})[ \t]*$/;
const MAY_CLOSE = /^[ \t]*(?:`*|~*)[ \t]*$/;
/** The beginning of several things. Of code only the whole line tells. */
const UNDECIDED = /^[ \t]*(?:#{1,6}|[-*_+][-*_ \t]*|>|\d{1,9}[.)]?[ \t]*|`{1,2}|~{1,2}|`{3,}[^`]*|~{3,}.*)?$/;
