import type { Clock } from "../../../lib/base/clock.ts";
import type { Console } from "../console.ts";
import { readDialog } from "../detect/dialog.ts";
import type { Driver, Observation } from "../drivers/driver.ts";
import type { Waits } from "../settings.ts";
import type { Tier } from "./agent-state.ts";
import type { AgentTracker } from "./tracker.ts";

export interface WatchOptions {
  terminal: Console;
  tracker: AgentTracker;
  driver: Driver;
  clock: Clock;
  waits: Waits;
  /** The screen looks different than at the last look. */
  onChange(): void;
}

/** Looks at the screen and the output of an agent, soon after each change and now and then without one. */
export class Watch {
  readonly #options: WatchOptions;
  readonly #stopListening: () => void;
  readonly #timer: NodeJS.Timeout;
  #look: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #seenSeq = -1;
  #seen: { text: string; since: number } = { text: "", since: 0 };
  #said: { key: string; since: number } | undefined;
  #promptSince = 0;
  #isClosed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    const { terminal, waits } = options;
    this.#stopListening = terminal.output.listen(() => this.#onOutput());
    this.#timer = setInterval(() => void this.look(), waits.screenPoll);
  }

  /** Now, at all that was printed until now. */
  async look(): Promise<void> {
    const { terminal, driver, clock } = this.#options;
    await terminal.screen.settled();
    if (this.#isClosed) return;
    const now = clock.monotonic();
    const { seq } = terminal.screen;
    if (seq !== this.#seenSeq) {
      this.#seenSeq = seq;
      this.#options.onChange();
    }
    const lines = terminal.screen.lines();
    const text = lines.join("\n");
    if (text !== this.#seen.text) this.#seen = { text, since: now };
    const seen = driver.readScreen?.(lines, now - this.#seen.since);
    if (seen === undefined) this.#said = undefined;
    else this.#report(seen, 5, now);
    this.#completePrompt(now);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopListening();
    clearInterval(this.#timer);
    clearTimeout(this.#look);
    clearTimeout(this.#quiet);
  }

  #report(seen: Observation, tier: Tier, now: number): void {
    const key = `${seen.state} ${seen.prompt?.type} ${seen.prompt?.subtype}`;
    if (this.#said?.key !== key) this.#said = { key, since: now };
    this.#options.tracker.report({ ...seen, tier, heldMs: now - this.#said.since });
  }

  #onOutput(): void {
    const { waits, driver, tracker } = this.#options;
    // Not put off by what comes meanwhile: under a steady stream there would never be a look.
    this.#look ??= setTimeout(() => {
      this.#look = undefined;
      void this.look();
    }, waits.screenDebounce);
    if (!driver.byOutput) return;
    tracker.report({ tier: 4, state: "working", cause: "process:activity" });
    clearTimeout(this.#quiet);
    const quiet = () => tracker.report({ tier: 4, state: "idle", cause: "process:quiet" });
    this.#quiet = setTimeout(quiet, waits.screenPoll);
  }

  /** Who says that the agent asks often doesn't know what: the options are on the screen, a moment later. */
  #completePrompt(now: number): void {
    const { tracker } = this.#options;
    const { prompt } = tracker;
    if (prompt === undefined || (prompt.ready && !prompt.options_fallback)) {
      this.#promptSince = now;
      return;
    }
    const dialog = readDialog(this.#options.terminal.screen.lines());
    if (dialog !== undefined)
      return tracker.complete({ ...prompt, options: dialog.options, options_fallback: false, ready: true });
    if (prompt.ready) return;
    if (now - this.#promptSince < OPTIONS_MS) {
      this.#look ??= setTimeout(() => {
        this.#look = undefined;
        void this.look();
      }, LOOK_AGAIN_MS);
      return;
    }
    tracker.complete({ ...prompt, options: ["Accept", "Cancel"], options_fallback: true, ready: true });
  }
}

const OPTIONS_MS = 2000;
const LOOK_AGAIN_MS = 200;
