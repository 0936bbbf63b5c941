/**
 * Turns pushes into a stream for one reader. After this bridge there are no emitters, only `for await`.
 * Unbounded on purpose: what it carries is already on disk or about to be, and losing it is never right.
 */
export class Channel<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #next = 0;
  #reader: Reader<T> | undefined;
  #ended = false;
  #failure: { error: unknown } | undefined;

  push(item: T): void {
    if (this.#ended) return;
    const reader = this.#waiting();
    // One who waits gets it from hand to hand: every word of an agent comes this way.
    if (reader === undefined) this.#items.push(item);
    else reader.resolve({ value: item });
  }

  /** No more items; the reader still gets what was pushed before. */
  end(): void {
    this.#ended = true;
    this.#waiting()?.resolve(OVER);
  }

  /** The reader gets what was pushed before, then the error. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    const reader = this.#waiting();
    if (reader === undefined) this.#failure = { error };
    else reader.reject(error);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** What a reader that left early has not taken is for the next one. */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return { next: () => this.#take() };
  }

  #take(): Promise<IteratorResult<T, undefined>> {
    if (this.#next < this.#items.length) {
      const item = this.#items[this.#next] as T;
      this.#next += 1;
      this.#forgetTaken();
      return Promise.resolve({ value: item });
    }
    if (this.#failure) return Promise.reject(this.#failure.error);
    if (this.#ended) return Promise.resolve(OVER);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  #waiting(): Reader<T> | undefined {
    const reader = this.#reader;
    this.#reader = undefined;
    return reader;
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
}

interface Reader<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

const OVER: IteratorReturnResult<undefined> = { done: true, value: undefined };
const BATCH = 1024;
