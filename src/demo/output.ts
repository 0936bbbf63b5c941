/** The agent's stdout. Frames and the noise a script asks for go the same way, so that their order is kept. */
export class Output {
  #afterNextWrite: (() => void) | undefined;

  /** For the protocol's frames. */
  readonly frames = new WritableStream<Uint8Array>({ write: (chunk) => this.write(chunk) });

  constructor() {
    // Whoever wrote learns of a reader that is gone; without a listener the process would die of it instead.
    process.stdout.on("error", () => {});
  }

  async write(bytes: string | Uint8Array): Promise<void> {
    const after = this.#afterNextWrite;
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    after?.();
  }

  /** The way to leave right after the answer to a prompt, which the protocol library writes by itself. */
  afterNextWrite(call: () => void): void {
    this.#afterNextWrite = call;
  }
}
