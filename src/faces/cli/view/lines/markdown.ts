import type { Paint } from "../../../../lib/command/paint.ts";

/**
 * Colours headings and code in text that arrives in pieces, and changes not a letter of it. Nothing is held back: a piece
 * goes out as far as it came.
 */
export class MarkdownPaint {
  readonly #paint: Paint;
  #lineStart = true;
  #line: "text" | "heading" = "text";
  #inline = false;
  #fenced = false;
  /** A run of backticks: how many so far, and whether the line began with them. */
  #ticks = 0;
  #ticksAtStart = false;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  add(text: string): string {
    let painted = "";
    let segment = "";
    let colour: Colour = "none";
    for (const character of text) {
      const next = this.#step(character);
      if (next !== colour && segment !== "") {
        painted += this.#dye(segment, colour);
        segment = "";
      }
      colour = next;
      segment += character;
    }
    return painted + this.#dye(segment, colour);
  }

  #step(character: string): Colour {
    if (character === "`") return this.#tick();
    this.#endTicks();
    if (character === "\n") {
      this.#lineStart = true;
      this.#line = "text";
      this.#inline = false;
      return "none";
    }
    if (this.#lineStart && character === "#" && !this.#fenced) this.#line = "heading";
    if (character !== " ") this.#lineStart = false;
    if (this.#fenced || this.#inline) return "code";
    return this.#line === "heading" ? "heading" : "none";
  }

  #tick(): Colour {
    if (this.#ticks === 0) this.#ticksAtStart = this.#lineStart;
    this.#ticks += 1;
    this.#lineStart = false;
    return "code";
  }

  #endTicks(): void {
    if (this.#ticks >= 3 && this.#ticksAtStart) this.#fenced = !this.#fenced;
    else if (this.#ticks > 0 && !this.#fenced) this.#inline = !this.#inline;
    this.#ticks = 0;
  }

  /** Line ends stay outside of colours, so that no line begins in the colour of the one before. */
  #dye(segment: string, colour: Colour): string {
    if (colour === "none") return segment;
    return colour === "heading" ? this.#paint.bold(segment) : this.#paint.cyan(segment);
  }
}

type Colour = "none" | "heading" | "code";
