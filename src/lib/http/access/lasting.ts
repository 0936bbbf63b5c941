/** A connection that goes on after its request was allowed. */
interface Connection {
  isAllowed(): boolean;
  end(): void;
}

/**
 * What was allowed once is asked again while it lasts: whoever revokes a token expects that its owner hears and types nothing
 * more, and a stream may be open for days.
 */
export class Lasting {
  readonly #connections = new Set<Connection>();
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(everyMs = EVERY_MS) {
    this.#everyMs = everyMs;
  }

  /** Returns how to say that it is over. */
  keep(connection: Connection): () => void {
    this.#connections.add(connection);
    this.#timer ??= setInterval(() => this.#look(), this.#everyMs).unref();
    return () => this.#forget(connection);
  }

  #look(): void {
    for (const connection of this.#connections) {
      if (connection.isAllowed()) continue;
      this.#forget(connection);
      connection.end();
    }
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

const EVERY_MS = 5000;
