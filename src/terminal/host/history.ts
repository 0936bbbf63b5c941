import { closeSync, writeSync } from "node:fs";
import type { Transition } from "../../core/screens/state/tracker.ts";
import { openJournal } from "../../lib/files/journal-line.ts";

/** A change as it is kept: all of it, so that whoever catches up knows what was asked. */
export type StateEvent = Transition & { timestamp_ms: number };

export interface HookRecord {
  hook_seq: number;
  json: unknown;
  timestamp_ms: number;
}

/** What happened, for those who come late: on disk, and the last of it at hand. */
export class History {
  readonly #files: { state: number; hooks: number };
  readonly #state: StateEvent[] = [];
  readonly #hooks: HookRecord[] = [];
  #hookSeq = 0;

  constructor(paths: { stateEvents: string; hookEvents: string }) {
    this.#files = { state: openJournal(paths.stateEvents), hooks: openJournal(paths.hookEvents) };
  }

  addState(event: StateEvent): void {
    keep(this.#state, event);
    writeSync(this.#files.state, `${JSON.stringify(event)}\n`);
  }

  /** Counted from one: zero is whoever has seen none. */
  addHook(json: unknown, timestamp_ms: number): void {
    this.#hookSeq += 1;
    const record = { hook_seq: this.#hookSeq, json, timestamp_ms };
    keep(this.#hooks, record);
    writeSync(this.#files.hooks, `${JSON.stringify(record)}\n`);
  }

  stateSince(seq: number): StateEvent[] {
    return this.#state.filter((event) => event.seq > seq);
  }

  hooksSince(seq: number): HookRecord[] {
    return this.#hooks.filter((record) => record.hook_seq > seq);
  }

  close(): void {
    closeSync(this.#files.state);
    closeSync(this.#files.hooks);
  }
}

const KEPT = 5000;

function keep<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > KEPT) list.splice(0, list.length - KEPT);
}
