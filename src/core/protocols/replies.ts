/** Answers that we wait for, by the id of our request. When the agent is gone, all of them fail with the same cause. */
export class Replies<Id, Reply> {
  readonly #waiting = new Map<Id, { resolve: (reply: Reply) => void; reject: (cause: unknown) => void }>();
  #gone: { cause: unknown } | undefined;

  /** Call it before the request is sent: the answer may be faster than the write's own end. */
  expect(id: Id): Promise<Reply> {
    const reply = new Promise<Reply>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    // Whoever sends may fail first and never come to await this.
    reply.catch(() => {});
    if (this.#gone !== undefined) this.fail(this.#gone.cause);
    return reply;
  }

  /** A reply that nobody waits for is none of ours. */
  settle(id: Id, reply: Reply): void {
    this.#waiting.get(id)?.resolve(reply);
    this.#waiting.delete(id);
  }

  fail(cause: unknown): void {
    this.#gone = { cause };
    for (const { reject } of this.#waiting.values()) reject(cause);
    this.#waiting.clear();
  }
}
