import type { EventOf } from "../../contract/events.ts";
import type { OpenItems } from "../../contract/sessions/open-items.ts";
import type { Clock } from "../../lib/base/clock.ts";

/** Longer than any model thinks without a word, and still an end. */
const SILENCE_MS = 10 * 60_000;

/** These say which tool they run before it is done. With the others a long silence may be a long tool. */
const announcing: ReadonlySet<string> = new Set(["acp", "claude-code", "codex"]);

/** How long an agent may be silent in a turn; `protocol_config.silence_deadline_ms` says otherwise. */
export function silenceLimit(protocol: string, config: Readonly<Record<string, unknown>>): number | undefined {
  const { silence_deadline_ms: wanted } = config;
  if (typeof wanted === "number" && wanted > 0) return wanted;
  return announcing.has(protocol) ? SILENCE_MS : undefined;
}

/**
 * Notices an agent that owes an answer and says nothing. Several wait for their model's server for ever, without a word about
 * it (OpenCode, on a failing server as on a missing one). A tool may take as long as it likes, and so may a person.
 */
export class Silence {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #tooLong: (turn: string) => void;
  readonly #counts: (open: OpenItems) => boolean;
  #open: OpenItems | undefined;
  #since = 0;
  #disarm: (() => void) | undefined;

  constructor(clock: Clock, limitMs: number, tooLong: (turn: string) => void, counts = isOwed) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#tooLong = tooLong;
    this.#counts = counts;
  }

  /** Something happened, and this is open since. Called for every word, so the timer is left alone until it fires. */
  heard(open: OpenItems): void {
    this.#open = open;
    this.#since = this.#clock.monotonic();
    if (this.#counts(open)) this.#disarm ??= this.#clock.after(this.#limitMs, () => this.#look());
  }

  end(): void {
    this.#disarm?.();
    this.#disarm = undefined;
    this.#open = undefined;
  }

  #look(): void {
    this.#disarm = undefined;
    const open = this.#open;
    if (open?.turn === undefined || !this.#counts(open)) return;
    const left = this.#limitMs - (this.#clock.monotonic() - this.#since);
    if (left > 0) this.#disarm = this.#clock.after(left, () => this.#look());
    else this.#tooLong(open.turn);
  }
}

const isOwed = ({ turn, tools, requests }: OpenItems) => turn !== undefined && tools.size === 0 && requests.size === 0;

/** A person who watches wants to know by then, whatever the reason is. */
const NOTICE_MS = 5 * 60_000;

/** Says once in a turn that nothing has happened for a while: an agent that works on a long tool looks like one that hangs. */
export class SilenceNotice {
  readonly #silence: Silence;
  #told: string | undefined;

  constructor(clock: Clock, tell: (notice: EventOf<"notice">) => void) {
    const tooLong = (turn: string) => {
      this.#told = turn;
      const text =
        "no word from the agent for 5 minutes; it may be at a long task: wait, interrupt the turn or stop the run";
      tell({ type: "notice", turn, code: "silent", text, data: { silentMs: NOTICE_MS } });
    };
    this.#silence = new Silence(
      clock,
      NOTICE_MS,
      tooLong,
      ({ turn, requests }) => turn !== undefined && turn !== this.#told && requests.size === 0,
    );
  }

  heard(open: OpenItems): void {
    this.#silence.heard(open);
  }

  end(): void {
    this.#silence.end();
  }
}
