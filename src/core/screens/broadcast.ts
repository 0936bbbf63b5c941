/** Tells everybody who listens, in order, at once. */
export class Broadcast<T> {
  readonly #listeners = new Set<(item: T) => void>();

  get size(): number {
    return this.#listeners.size;
  }

  /** The returned function stops listening. */
  listen(listener: (item: T) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  send(item: T): void {
    for (const listener of this.#listeners) listener(item);
  }
}
