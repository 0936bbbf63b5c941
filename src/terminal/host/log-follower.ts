import { existsSync } from "node:fs";
import type { Clock } from "../../lib/base/clock.ts";
import { tailFile } from "../../lib/files/tail.ts";
import { linesOf } from "../../lib/text/lines.ts";

/** The lines of a file that may not be there yet, as they become whole. A new file takes the place of the old. */
export class LogFollower {
  readonly #clock: Clock;
  readonly #pollMs: number;
  readonly #onLine: (line: unknown) => void;
  #path = "";
  #stop = new AbortController();

  constructor(options: { clock: Clock; pollMs: number; onLine(line: unknown): void }) {
    this.#clock = options.clock;
    this.#pollMs = options.pollMs;
    this.#onLine = options.onLine;
  }

  /** From this byte on; looked for again and again until it is found. */
  follow(find: () => string | undefined, from = 0): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    void this.#read(find, from, this.#stop.signal);
  }

  get path(): string {
    return this.#path;
  }

  close(): void {
    this.#stop.abort();
  }

  async #read(find: () => string | undefined, from: number, signal: AbortSignal): Promise<void> {
    let path = find();
    while ((path === undefined || !existsSync(path)) && !signal.aborted) {
      await this.#clock.sleep(LOOK_MS, signal);
      path = find();
    }
    if (signal.aborted || path === undefined) return;
    this.#path = path;
    for await (const lines of linesOf(tailFile(path, { from, signal, pollMs: this.#pollMs }))) {
      if (signal.aborted) return;
      for (const line of lines) if ("text" in line) this.#take(line.text);
    }
  }

  #take(text: string): void {
    if (!text.startsWith("{")) return;
    try {
      this.#onLine(JSON.parse(text));
    } catch {
      // not a line of the log
    }
  }
}

const LOOK_MS = 250;
