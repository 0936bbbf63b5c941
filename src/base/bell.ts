import { type FSWatcher, watch } from "node:fs";

/**
 * Rings when a file may have changed. The kernel tells at once, but its queue overflows in silence, its watches are few, and
 * some file systems have none: so it also rings now and then without being told, more often where nobody tells.
 */
export class Bell {
  readonly #fixedMs: number | undefined;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout;
  #interval: number;
  #wasRung = false;
  #wake: (() => void) | undefined;

  constructor(path: string, pollMs?: number) {
    this.#fixedMs = pollMs;
    try {
      this.#watcher = watch(path, () => this.ring());
      this.#watcher.on("error", () => this.#unwatch());
    } catch {
      // No watch to be had (EMFILE, ENOSPC): the timer is enough.
    }
    this.#interval = this.#shortest();
    this.#timer = setTimeout(() => this.#tick(), this.#interval);
  }

  ring(): void {
    this.#wasRung = true;
    this.#wake?.();
  }

  /** There was news: look again soon. */
  active(): void {
    this.#interval = this.#shortest();
  }

  /** Resolves at the next ring, or at once if there was one since the last call. For one caller at a time. */
  async rung(): Promise<void> {
    if (!this.#wasRung) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = undefined;
    this.#wasRung = false;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#unwatch();
  }

  #tick(): void {
    this.ring();
    this.#timer = setTimeout(() => this.#tick(), this.#interval);
    if (this.#fixedMs === undefined) this.#interval = Math.min(this.#interval * 2, this.#shortest() * 4);
  }

  #shortest(): number {
    return this.#fixedMs ?? (this.#watcher ? 250 : 40);
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}
