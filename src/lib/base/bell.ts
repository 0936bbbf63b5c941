import { type FSWatcher, watch } from "node:fs";

/**
 * Rings when a file, or one of a few, may have changed. The kernel tells at once, but its queue overflows in silence, its watches are few, and
 * some file systems have none: so it also rings now and then without being told, more often where nobody tells.
 */
export class Bell {
  readonly #fixedMs: number | undefined;
  #watchers: FSWatcher[] = [];
  #timer: NodeJS.Timeout;
  #interval: number;
  #wasRung = false;
  #wake: (() => void) | undefined;

  constructor(paths: string | readonly string[], pollMs?: number) {
    this.#fixedMs = pollMs;
    try {
      for (const path of [paths].flat()) {
        const watcher = watch(path, () => this.ring());
        this.#watchers.push(watcher);
        watcher.on("error", () => this.#unwatch());
      }
    } catch {
      // No watch to be had (EMFILE, ENOSPC): the timer is enough.
      this.#unwatch();
    }
    this.#interval = this.#shortest();
    this.#timer = setTimeout(() => this.#tick(), this.#interval);
  }

  ring(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    if (wake === undefined) this.#wasRung = true;
    else wake();
  }

  /** There was news: look again soon. */
  active(): void {
    this.#interval = this.#shortest();
  }

  /** Resolves at the next ring, or at once if there was one since the last call. For one caller at a time. */
  rung(): Promise<void> {
    if (this.#wasRung) {
      this.#wasRung = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
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
    return this.#fixedMs ?? (this.#watchers.length > 0 ? 250 : 40);
  }

  #unwatch(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }
}
