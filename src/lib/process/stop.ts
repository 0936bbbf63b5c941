import { systemClock } from "../base/clock.ts";
import { factsOf, type ProcessIdentity, processesWithEnv, selfAndAncestors, startTimeOf } from "./holders/identity.ts";

/** What every process of a run has in its environment, wherever it fled to. */
export interface Marker {
  name: string;
  value: string;
}

export interface Swept {
  /** How many were found and are gone. */
  ended: number;
  /** Those that not even SIGKILL ended in time. */
  left: number[];
}

/** The process group a leader was started with. */
export interface Group {
  pid: number;
  /** The leader isn't waited for yet, so nobody else can have its number. */
  isLed(): boolean;
  exited: Promise<unknown>;
  /**
   * The leader only keeps the others (a sandbox, a container's engine): told to end, it would take them down at once, so they
   * are asked and it follows them.
   */
  keeper?: boolean;
}

/**
 * Ends everything that carries the marker, except ourselves and our ancestors: TERM, grace, KILL until none is left. Whoever
 * owns a run calls it when the run is over, because a leader that exits by itself may leave others behind.
 */
export function sweep(marker: Marker, graceMs: number): Promise<Swept> {
  return new Ladder(marker).stop(graceMs);
}

/**
 * One way down, taken once. Everybody is asked at the same moment, as an init system does it, so that all have the whole
 * grace to put things in order (git removes its lock, a server writes its file); then everybody is killed.
 */
export class Ladder {
  readonly #marker: Marker;
  readonly #group: Group | undefined;
  readonly #spared = selfAndAncestors();
  /** Whom we told to end, by pid, with the start time. */
  readonly #told = new Map<number, string>();
  #groupOutlivedLeader = false;
  #deadline = Number.POSITIVE_INFINITY;
  #wake = new AbortController();
  #done: Promise<Swept> | undefined;

  constructor(marker: Marker, group?: Group) {
    this.#marker = marker;
    this.#group = group?.isLed() ? group : undefined;
    void this.#group?.exited.then(() => {
      // A number isn't given away while a group has it. Seen now and again, it stays ours to signal; later it may not be.
      this.#groupOutlivedLeader = this.#signalGroup(0);
      this.#wake.abort();
    });
  }

  /** Asking again with less grace shortens the wait of the first. */
  stop(graceMs: number): Promise<Swept> {
    const deadline = systemClock.monotonic() + graceMs;
    if (deadline < this.#deadline) {
      this.#deadline = deadline;
      this.#wake.abort();
    }
    this.#done ??= this.#descend();
    return this.#done;
  }

  async #descend(): Promise<Swept> {
    if (this.#isLed() && !this.#isKept() && this.#remaining() > 0) this.#signalGroup("SIGTERM");
    const isOver = await this.#ask();
    // Where nobody was there to be told, nobody is left. Who cleared its environment is found by its group alone.
    const left = isOver && this.#told.size === 0 && !this.#groupOutlivedLeader ? [] : await this.#kill();
    return { ended: this.#told.size - left.length, left };
  }

  /** Whether nobody is left. */
  async #ask(): Promise<boolean> {
    for (let first = true; this.#remaining() > 0; first = false) {
      const found = this.#find();
      if (found.length === 0 && !this.#isLed()) return true;
      // What those who were asked start while they put things in order is their own affair, until they are gone.
      const busy = !first && (this.#isLed() || found.some((each) => this.#told.has(each.pid)));
      if (!busy) for (const each of found) this.#askOne(each, first);
      await this.#untilOneGoes(found);
    }
    return false;
  }

  #askOne(each: ProcessIdentity, first: boolean): void {
    // Nobody is asked twice: programs take the second TERM for impatience. At first the group was asked as a whole.
    const passedOver = this.#isKept() ? each.pid === this.#group?.pid : first && this.#isInGroup(each);
    if (!passedOver) signal(each, "SIGTERM");
    this.#told.set(each.pid, each.start);
  }

  async #kill(): Promise<number[]> {
    for (let round = 1; ; round += 1) {
      if (this.#isLed() || this.#groupOutlivedLeader) this.#signalGroup("SIGKILL");
      const found = this.#find();
      if (found.length === 0 && !this.#isLed()) return [];
      if (round > KILL_ROUNDS) return found.map((each) => each.pid);
      for (const each of found) {
        signal(each, "SIGKILL");
        this.#told.set(each.pid, each.start);
      }
      await this.#pause(Math.min(5 * round, 50));
    }
  }

  async #untilOneGoes(found: readonly ProcessIdentity[]): Promise<void> {
    const led = this.#isLed();
    for (let ms = 10; this.#remaining() > 0; ms = Math.min(ms * 1.5, 100)) {
      await this.#pause(Math.min(ms, this.#remaining()));
      this.#groupOutlivedLeader &&= this.#signalGroup(0);
      if (led !== this.#isLed() || found.some((each) => startTimeOf(each.pid) !== each.start)) return;
    }
  }

  /** Ends early when the leader exits or the grace is shortened. */
  #pause(ms: number): Promise<void> {
    if (this.#wake.signal.aborted) this.#wake = new AbortController();
    return systemClock.sleep(ms, this.#wake.signal);
  }

  #find(): ProcessIdentity[] {
    const found: ProcessIdentity[] = [];
    for (const pid of processesWithEnv(this.#marker.name, this.#marker.value)) {
      const start = this.#spared.has(pid) ? undefined : startTimeOf(pid);
      if (start !== undefined) found.push({ pid, start });
    }
    return found;
  }

  #isLed(): boolean {
    return this.#group?.isLed() ?? false;
  }

  #isKept(): boolean {
    return this.#group?.keeper ?? false;
  }

  #isInGroup({ pid }: ProcessIdentity): boolean {
    return this.#group !== undefined && factsOf(pid)?.group === this.#group.pid;
  }

  #remaining(): number {
    return this.#deadline - systemClock.monotonic();
  }

  #signalGroup(signal: NodeJS.Signals | 0): boolean {
    return this.#group !== undefined && send(-this.#group.pid, signal);
  }
}

/** About two seconds. Longer than that only a process stuck in the kernel takes. */
const KILL_ROUNDS = 40;

function signal({ pid, start }: ProcessIdentity, signal: NodeJS.Signals): void {
  if (startTimeOf(pid) === start) send(pid, signal);
}

/** Whether there was somebody we may signal. */
export function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    // ESRCH: gone, as wished. EPERM: a program of another user, out of our reach.
    return false;
  }
}
