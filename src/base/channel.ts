/**
 * Turns pushes into a stream for one reader. After this bridge there are no emitters, only `for await`.
 * Unbounded on purpose: what it carries is already on disk or about to be, and losing it is never right.
 */
export class Channel<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #next = 0;
  #wake: (() => void) | undefined;
  #ended = false;
  #failure: { error: unknown } | undefined;

  push(item: T): void {
    if (this.#ended) return;
    this.#items.push(item);
    this.#wakeReader();
  }

  /** No more items; the reader still gets what was pushed before. */
  end(): void {
    this.#ended = true;
    this.#wakeReader();
  }

  /** The reader gets what was pushed before, then the error. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#failure = { error };
    this.end();
  }

  get ended(): boolean {
    return this.#ended;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      while (this.#next < this.#items.length) {
        const item = this.#items[this.#next] as T;
        this.#next += 1;
        this.#forgetTaken();
        yield item;
      }
      if (this.#failure) throw this.#failure.error;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /**
   * A reader that never quite catches up must not keep everything it ever read in memory. Once half is read, the copy costs
   * no more than the reading did.
   */
  #forgetTaken(): void {
    if (this.#next < this.#items.length && (this.#next < BATCH || this.#next * 2 < this.#items.length)) return;
    this.#items = this.#items.slice(this.#next);
    this.#next = 0;
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

const BATCH = 1024;
