/** A line without its newline, or the fact that one was too long to keep. */
export type Line = { text: string } | { oversized: number };

export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Splits bytes at LF. `readline` is no substitute: it also splits at U+2028, which JSON allows inside strings, and has no
 * cap. A line beyond the cap is dropped and counted, and the stream goes on. A CR before the LF belongs to the line end.
 */
export class LineSplitter {
  readonly #cap: number;
  #parts: Buffer[] = [];
  #held = 0;
  #dropped = 0;

  constructor(cap: number = MAX_LINE_BYTES) {
    this.#cap = cap;
  }

  push(chunk: Uint8Array): Line[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: Line[] = [];
    let from = 0;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
      lines.push(this.#nothingHeld(at - from) ? textOf(bytes, from, at) : this.#takeWith(bytes.subarray(from, at)));
      from = at + 1;
    }
    if (from < bytes.length) this.#hold(bytes.subarray(from));
    return lines;
  }

  /** What came after the last newline, once no more will come. */
  end(): Line[] {
    return this.#held + this.#dropped === 0 ? [] : [this.#take()];
  }

  /** The usual case, a whole line within one chunk, is decoded in place. */
  #nothingHeld(length: number): boolean {
    return this.#held === 0 && this.#dropped === 0 && length <= this.#cap;
  }

  #takeWith(part: Buffer): Line {
    this.#hold(part);
    return this.#take();
  }

  #hold(part: Buffer): void {
    if (this.#dropped > 0 || this.#held + part.length > this.#cap) {
      this.#dropped += this.#held + part.length;
      this.#parts = [];
      this.#held = 0;
      return;
    }
    this.#parts.push(part);
    this.#held += part.length;
  }

  #take(): Line {
    const oversized = this.#dropped;
    const parts = this.#parts;
    this.#parts = [];
    this.#held = 0;
    this.#dropped = 0;
    if (oversized > 0) return { oversized };
    const whole = Buffer.concat(parts);
    return textOf(whole, 0, whole.length);
  }
}

function textOf(bytes: Buffer, from: number, to: number): Line {
  const end = to > from && bytes[to - 1] === CR ? to - 1 : to;
  return { text: bytes.toString("utf8", from, end) };
}

const CR = 13;

/** The lines of a byte stream, in batches as they arrive. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, cap?: number): AsyncGenerator<Line[]> {
  const splitter = new LineSplitter(cap);
  for await (const chunk of chunks) {
    const lines = splitter.push(chunk);
    if (lines.length > 0) yield lines;
  }
  const rest = splitter.end();
  if (rest.length > 0) yield rest;
}
