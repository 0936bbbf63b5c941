/** The last bytes of a terminal, each with its place in all that was ever written. Older ones make room. */
export class ByteRing {
  readonly #bytes: Buffer;
  #total = 0;

  constructor(size: number) {
    this.#bytes = Buffer.alloc(size);
  }

  /** Everything ever written. */
  get total(): number {
    return this.#total;
  }

  /** Where the oldest byte that is still there stands. */
  get oldest(): number {
    return Math.max(0, this.#total - this.#bytes.length);
  }

  write(chunk: Uint8Array): void {
    const size = this.#bytes.length;
    const kept = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
    const at = (this.#total + chunk.length - kept.length) % size;
    const first = kept.subarray(0, size - at);
    this.#bytes.set(first, at);
    this.#bytes.set(kept.subarray(first.length), 0);
    this.#total += chunk.length;
  }

  /** From `offset`, or from the oldest byte when that is gone, at most `limit` bytes. The data is the reader's own. */
  read(offset: number, limit = Number.POSITIVE_INFINITY): { data: Buffer; offset: number } {
    const from = Math.min(Math.max(offset, this.oldest), this.#total);
    const count = Math.min(this.#total - from, Math.max(limit, 0));
    const at = from % this.#bytes.length;
    const first = this.#bytes.subarray(at, Math.min(at + count, this.#bytes.length));
    const data = Buffer.concat([first, this.#bytes.subarray(0, count - first.length)]);
    return { data, offset: from };
  }
}
