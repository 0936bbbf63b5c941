import { closeSync, existsSync, readFileSync, writeSync } from "node:fs";
import type { Clock } from "../../lib/base/clock.ts";
import { openJournal } from "../../lib/files/journal-line.ts";
import { CastOutput, castHeader, castResize } from "../../lib/text/asciicast.ts";
import type { ScreenSnapshot } from "./screen.ts";

/** The screen at a moment when something happened. */
export interface RecordingEntry {
  /** Milliseconds since the recording began. */
  ts: number;
  seq: number;
  kind: "state" | "hook" | "screen";
  detail: unknown;
  screen: Omit<ScreenSnapshot, "seq"> & { sequence: number };
}

export interface RecordingOptions {
  path: string;
  clock: Clock;
  size: () => { cols: number; rows: number };
  onEntry(entry: RecordingEntry): void;
}

/** Snapshots of the screen at each change of state and each hook; one that looks like the last is left out. */
export class Recording {
  readonly #options: RecordingOptions;
  #fd: number | undefined;
  #began = 0;
  #entries: RecordingEntry[] = [];
  #seq = 0;
  #last = "";

  constructor(options: RecordingOptions) {
    this.#options = options;
  }

  get status(): { enabled: boolean; path: string | null; entries: number } {
    const { path } = this.#options;
    return {
      enabled: this.#fd !== undefined,
      path: this.#seq > 0 || this.#fd !== undefined ? path : null,
      entries: this.#seq,
    };
  }

  set enabled(wanted: boolean) {
    if (wanted === (this.#fd !== undefined)) return;
    if (wanted) this.#open();
    else this.close();
  }

  #open(): void {
    const { path, clock, size } = this.#options;
    const isNew = !existsSync(path);
    this.#fd = openJournal(path);
    if (!isNew) return;
    this.#began = clock.now();
    this.#write({ version: 1, ...size(), timestamp: Math.floor(this.#began / 1000) });
  }

  add(kind: RecordingEntry["kind"], detail: unknown, { seq: sequence, ...screen }: ScreenSnapshot): void {
    if (this.#fd === undefined) return;
    const look = screen.ansi.join("\n");
    if (look === this.#last) return;
    this.#last = look;
    this.#seq += 1;
    const ts = this.#options.clock.now() - this.#began;
    const entry: RecordingEntry = { ts, seq: this.#seq, kind, detail, screen: { ...screen, sequence } };
    this.#entries.push(entry);
    if (this.#entries.length > KEPT) this.#entries.shift();
    this.#write(entry);
    this.#options.onEntry(entry);
  }

  since(seq: number): RecordingEntry[] {
    return this.#entries.filter((entry) => entry.seq > seq);
  }

  /** The whole of it, as it is on disk. */
  text(): string {
    return existsSync(this.#options.path) ? readFileSync(this.#options.path, "utf8") : "";
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #write(line: unknown): void {
    if (this.#fd !== undefined) writeSync(this.#fd, `${JSON.stringify(line)}\n`);
  }
}

const KEPT = 500;

/** Every byte with its time, for players of asciicast v2. */
export class Cast {
  readonly #fd: number;
  readonly #clock: Clock;
  readonly #began: number;
  readonly #output = new CastOutput();

  constructor(path: string, size: { cols: number; rows: number }, command: string, clock: Clock) {
    this.#fd = openJournal(path);
    this.#clock = clock;
    this.#began = clock.monotonic();
    const timestamp = Math.floor(clock.now() / 1000);
    writeSync(this.#fd, castHeader({ width: size.cols, height: size.rows, timestamp, command }));
  }

  output(chunk: Buffer): void {
    this.#write(this.#output.output(this.#elapsed(), chunk));
  }

  resize(cols: number, rows: number): void {
    this.#write(castResize(this.#elapsed(), cols, rows));
  }

  close(): void {
    this.#write(this.#output.end(this.#elapsed()));
    closeSync(this.#fd);
  }

  #write(line: string): void {
    if (line !== "") writeSync(this.#fd, line);
  }

  #elapsed(): number {
    return (this.#clock.monotonic() - this.#began) / 1000;
  }
}
