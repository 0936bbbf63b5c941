import { write } from "node:fs";
import { errnoOf } from "../../files/disk-error.ts";

/**
 * Hands over what is typed at the program's pace. Node's own stream would wait in the write itself for a program that doesn't
 * read, and so never read what that program wants to say first.
 */
export class Keyboard {
  readonly #fd: number;
  #waiting: Uint8Array[] = [];
  #state: "waiting" | "open" | "closed" = "waiting";
  #busy: Promise<void> | undefined;

  constructor(fd: number) {
    this.#fd = fd;
  }

  type(data: Uint8Array): void {
    if (this.#state === "closed") return;
    this.#waiting.push(data);
    this.#start();
  }

  open(): void {
    this.#state = "open";
    this.#start();
  }

  /** When nothing uses the descriptor any more. */
  async close(): Promise<void> {
    this.#state = "closed";
    await this.#busy;
  }

  #start(): void {
    if (this.#state !== "open") return;
    this.#busy ??= this.#send().finally(() => {
      this.#busy = undefined;
    });
  }

  async #send(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined && this.#state === "open"; next = this.#waiting.shift()) {
      for (let done = 0; done < next.length && this.#state === "open"; ) {
        const count = await writeSome(this.#fd, next.subarray(done));
        if (count === 0) await new Promise((resolve) => setTimeout(resolve, FULL_MS));
        done += count;
      }
    }
  }
}

const FULL_MS = 5;

/** 0 when there is no room. Whatever else is wrong, nobody reads it any more, and the exit says why. */
function writeSome(fd: number, data: Uint8Array): Promise<number> {
  return new Promise((resolve) => {
    write(fd, data, 0, data.length, null, (error, count) => {
      if (error === null) resolve(count);
      else resolve(errnoOf(error) === "EAGAIN" ? 0 : data.length);
    });
  });
}
