import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isName } from "../../../contract/ids.ts";
import { busPath } from "../../../core/store/bus/bus.ts";
import { BusDecoder } from "../../../core/store/bus/bus-decoder.ts";
import { decodeFile } from "../../../core/store/bus/bus-reader.ts";
import type { Home } from "../../../core/store/home.ts";
import { Bell } from "../../../lib/base/bell.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import { isRefusal } from "../../../lib/files/disk-error.ts";
import { type Frames, frameJson } from "./frames.ts";

/** The bus of a task, or of its project where there is no task. */
interface Bus {
  project: string;
  task: string | undefined;
  path: string;
  decoder: BusDecoder;
  /** When it was last seen to grow. */
  changed: number;
}

/** What part of everything is followed. */
export interface Scope {
  project?: string;
  task?: string;
}

/**
 * The buses of a scope. A machine may have ten thousand of them, and most sleep: those on which there was something lately are
 * watched, the others are looked at now and then.
 */
export class Buses {
  readonly #home: Home;
  readonly #scope: Scope;
  readonly #clock: Clock;
  readonly #tell: (frames: Frames) => void;
  readonly #known = new Map<string, Bus>();
  readonly #bells = new Map<string, Bell>();
  readonly #listed = new Map<string, number>();
  #timer: NodeJS.Timeout;
  #sweep: string[] = [];
  #closed = false;

  /** Begins at the end of all that there are. */
  constructor(home: Home, scope: Scope, clock: Clock, tell: (frames: Frames) => void) {
    this.#home = home;
    this.#scope = scope;
    this.#clock = clock;
    this.#tell = tell;
    this.#discover(true);
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** Where each has been read to. */
  offsets(): Map<string, number> {
    return new Map([...this.#known].map(([key, bus]) => [key, Number(bus.decoder.cursor)]));
  }

  /** The same of those that must be named in a cursor of now. */
  recent(now: number): Map<string, number> {
    const recent = [...this.#known].filter(([, bus]) => bus.changed >= now - NAMED_MS);
    return new Map(recent.map(([key, bus]) => [key, Number(bus.decoder.cursor)]));
  }

  pathOf(key: string): string {
    const [project = "", task] = key.split("/");
    return busPath(this.#home, project, task);
  }

  /** There is such a task now, and it is at work. */
  add(project: string, task: string): void {
    if (this.#scope.task !== undefined && (project !== this.#scope.project || task !== this.#scope.task)) return;
    this.#meet(project, task, false);
    this.#watch(keyOf(project, task));
  }

  /** All of them, now. */
  poll(): void {
    this.#discover(false);
    for (const key of this.#known.keys()) this.#read(key);
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const bell of this.#bells.values()) {
      bell.ring();
      bell.close();
    }
    this.#bells.clear();
  }

  #look(): void {
    if (this.#sweep.length === 0) {
      this.#discover(false);
      this.#sweep = [...this.#known.keys()];
    }
    for (const key of this.#sweep.splice(0, PER_LOOK)) this.#tryRead(key);
  }

  #discover(first: boolean): void {
    const { project, task } = this.#scope;
    if (project !== undefined && task !== undefined) {
      this.#meet(project, task, first);
      this.#watch(keyOf(project, task));
      return;
    }
    const folder = join(this.#home.root, "projects");
    for (const name of foldersIn(folder)) {
      this.#meet(name, undefined, first);
      const changed = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (this.#listed.get(name) === changed) continue;
      this.#listed.set(name, changed);
      for (const each of foldersIn(join(folder, name))) if (each !== "blobs") this.#meet(name, each, first);
    }
  }

  /** Those that are there at first are at their end for us; those that come later are new as a whole. */
  #meet(project: string, task: string | undefined, first: boolean): void {
    const key = keyOf(project, task);
    if (this.#known.has(key)) return;
    const path = busPath(this.#home, project, task);
    const facts = first ? statSync(path, { throwIfNoEntry: false }) : undefined;
    const bus: Bus = { project, task, path, decoder: new BusDecoder(0), changed: facts?.mtimeMs ?? 0 };
    this.#known.set(key, bus);
    if (facts === undefined) return;
    const quiet = this.#clock.now() - bus.changed;
    // Somebody may be in the middle of writing a record.
    bus.decoder = new BusDecoder(quiet < JUST_NOW_MS ? lastRecordEnd(path, facts.size) : facts.size);
    if (quiet < NAMED_MS) this.#watch(key);
  }

  /** What can't be opened now is looked at again soon, from the same place; a client that needs it now is told by `poll`. */
  #tryRead(key: string): void {
    try {
      this.#read(key);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }

  #read(key: string): void {
    const bus = this.#known.get(key);
    if (bus === undefined) return;
    const from = bus.decoder.next;
    const size = statSync(bus.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size === from) return;
    if (size < from) return bus.decoder.restartAt(size);
    for (const messages of decodeFile(bus.path, from, bus.decoder)) {
      if (messages.length === 0) continue;
      bus.changed = this.#clock.now();
      this.#watch(key);
      this.#tell(frameMessages(bus, messages));
    }
  }

  #watch(key: string): void {
    const bus = this.#known.get(key);
    const bell = this.#bells.get(key);
    if (bus === undefined || this.#closed) return;
    if (bell !== undefined) {
      this.#bells.delete(key); // to the end: the one that was quiet longest goes first
      this.#bells.set(key, bell);
      return;
    }
    if (statSync(bus.path, { throwIfNoEntry: false }) === undefined) return;
    const [oldest] = this.#bells.keys();
    if (this.#bells.size >= MAX_WATCHED && oldest !== undefined) this.#forget(oldest);
    const made = new Bell(bus.path, WATCHED_POLL_MS);
    this.#bells.set(key, made);
    void this.#listen(key, made);
  }

  #forget(key: string): void {
    const bell = this.#bells.get(key);
    this.#bells.delete(key);
    bell?.ring();
    bell?.close();
  }

  async #listen(key: string, bell: Bell): Promise<void> {
    for (;;) {
      await bell.rung();
      if (this.#bells.get(key) !== bell) return;
      this.#tryRead(key);
    }
  }
}

/** As far back as a cursor names buses; those that were quiet longer are found by their time. */
export const NAMED_MS = 60_000;
const JUST_NOW_MS = 2000;
const LOOK_MS = 500;
const PER_LOOK = 1000;
const MAX_WATCHED = 64;
const WATCHED_POLL_MS = 2000;

const keyOf = (project: string, task: string | undefined) => (task === undefined ? project : `${project}/${task}`);

/** The place is the file's, whatever the line says. */
export function frameMessages(
  { project, task = "" }: { project: string; task?: string | undefined },
  messages: readonly object[],
): Frames {
  return frameJson("bus", ...messages.map((message) => JSON.stringify({ ...message, project, task })));
}

function lastRecordEnd(path: string, size: number): number {
  const decoder = new BusDecoder(Math.max(0, size - MAX_RECORD), () => false);
  for (const _ of decodeFile(path, Math.max(0, size - MAX_RECORD), decoder));
  return Number(decoder.cursor);
}

const MAX_RECORD = 128 * 1024;

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() && isName(entry.name) ? [entry.name] : []));
  } catch {
    return []; // none yet, or gone meanwhile
  }
}
