import { AppError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { type Answered, answer, type Hands, printable, type Reply } from "./answering.ts";
import type { Console } from "./console.ts";
import { readDialog } from "./detect/dialog.ts";
import type { Driver } from "./drivers/driver.ts";
import type { Waits } from "./settings.ts";
import type { Prompt } from "./state/agent-state.ts";
import type { HostEvent } from "./state/host-event.ts";
import type { AgentTracker } from "./state/tracker.ts";
import { Typist } from "./typist.ts";

export interface ConversationOptions {
  terminal: Console;
  tracker: AgentTracker;
  driver: Driver;
  clock: Clock;
  waits: Waits;
  tell(event: HostEvent): void;
}

export interface Nudged {
  delivered: boolean;
  state_before?: string;
  reason?: string;
}

export interface Responded {
  delivered: boolean;
  prompt_type?: string;
  reason?: string;
}

/** Speaks to the agent as a person at its terminal would. */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #typist: Typist;
  #passing: number | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    const { terminal, clock, waits } = options;
    this.#typist = new Typist({
      clock,
      delayMs: waits.inputDelay,
      delayPerByteMs: waits.inputDelayPerByte,
      write: (data) => void terminal.write(data),
    });
  }

  /** Gives the agent a prompt, whether it waits for one or works; into what it asks it is put as an answer where that fits. */
  nudge(message: string): Promise<Nudged> {
    const { tracker, terminal } = this.#options;
    this.#requireDriver();
    return this.#typist.turn(async () => {
      if (terminal.exit !== undefined) throw new AppError("terminal.exited", "the agent has exited");
      const state_before = tracker.state;
      const { prompt } = tracker;
      if (state_before === "idle" || state_before === "working" || prompt?.subtype === "oauth_login") {
        await this.#say(message);
        return { delivered: true, state_before };
      }
      if (prompt?.type === "plan" || prompt?.type === "question") {
        const { delivered, reason } = await this.#answer(prompt, { text: message }, "api");
        return { delivered, state_before, reason };
      }
      return { delivered: false, state_before, reason: `agent is ${state_before}` };
    });
  }

  respond(reply: Reply): Promise<Responded> {
    const { tracker } = this.#options;
    this.#requireDriver();
    return this.#typist.turn(async () => {
      const { prompt } = tracker;
      if (prompt === undefined) return { delivered: false, reason: "no prompt active" };
      return { prompt_type: prompt.type, ...(await this.#answer(prompt, reply, "api")) };
    });
  }

  /** Passes a start-up screen on which there is nothing to decide, unless somebody was faster. */
  async pass(prompt: Prompt): Promise<void> {
    const { driver, clock, waits, tracker } = this.#options;
    const option = driver.passes?.(prompt.subtype ?? "", prompt.options);
    if (option === undefined) return;
    const { seq } = tracker;
    if (this.#passing === seq) return; // more is known of the same screen
    this.#passing = seq;
    await clock.sleep(waits.groomDismissDelay);
    await this.#typist.turn(async () => {
      if (tracker.seq !== seq || tracker.state !== "prompt") return;
      if (option !== "enter") return void (await this.#answer(prompt, { option: option + 1 }, "groom"));
      this.#typist.type("\r");
      this.#tellOutcome(prompt, "groom", undefined);
    });
  }

  async #answer(prompt: Prompt, reply: Reply, source: "api" | "groom"): Promise<Responded> {
    const done: Answered = await answer(this.#hands(), prompt, reply);
    if ("reason" in done) return { delivered: false, reason: done.reason };
    this.#tellOutcome(prompt, source, done.option);
    if (prompt.type === "question") await this.#nextQuestion(prompt, reply.answers?.length || 1);
    return { delivered: true };
  }

  /** Several questions come one after the other; the next one stands where the last stood. */
  async #nextQuestion(prompt: Prompt, answered: number): Promise<void> {
    const { tracker } = this.#options;
    const question_current = prompt.question_current + answered;
    const dialog = await this.#hands().look();
    if (tracker.prompt?.type !== "question" || question_current >= prompt.questions.length || dialog === undefined)
      return;
    tracker.complete({ ...tracker.prompt, question_current, options: dialog.options });
  }

  #tellOutcome({ type, subtype }: Prompt, source: "api" | "groom", option: number | undefined): void {
    const known = { ...(subtype === undefined ? {} : { subtype }), ...(option === undefined ? {} : { option }) };
    this.#options.tell({ event: "prompt:outcome", source, type, ...known });
  }

  async #say(message: string): Promise<void> {
    const { terminal, waits } = this.#options;
    const text = printable(message);
    const { marksPastes } = terminal.screen;
    const isLong = text.includes("\n");
    // To a program that can't tell a paste from keys, each line would be a prompt of its own.
    this.#typist.type(isLong ? (marksPastes ? `\x1b[200~${text}\x1b[201~` : text.replace(/\s*\n\s*/g, " ")) : text);
    await this.#typist.pause(Buffer.byteLength(text));
    this.#typist.type("\r");
    if (this.#options.driver.retriesEnter) void this.#enterAgain(waits.nudgeTimeout);
  }

  /** Some programs take an Enter that comes soon after a text for a part of it. Once more, if nothing at all happened since. */
  async #enterAgain(timeoutMs: number): Promise<void> {
    const { tracker, terminal, clock } = this.#options;
    const { seq } = tracker;
    const typed = terminal.bytesWritten;
    await clock.sleep(timeoutMs);
    const untouched = tracker.seq === seq && terminal.bytesWritten === typed && terminal.exit === undefined;
    if (untouched && tracker.state === "idle") this.#typist.type("\r");
  }

  #hands(): Hands {
    const { terminal, clock } = this.#options;
    const { screen } = terminal;
    const look = async () => {
      await screen.settled();
      return readDialog(screen.lines());
    };
    return {
      look,
      type: (keys) => this.#typist.type(keys),
      pause: (bytes) => this.#typist.pause(bytes),
      changed: async () => {
        const before = screen.lines().join("\n");
        for (let waited = 0; waited < CHANGE_MS; waited += STEP_MS) {
          await clock.sleep(STEP_MS);
          await screen.settled();
          if (screen.lines().join("\n") !== before) return;
        }
      },
    };
  }

  #requireDriver(): void {
    const { tracker, driver } = this.#options;
    if (!tracker.ready) throw new AppError("terminal.not_ready", "the agent is still starting");
    if (driver.takesPrompts) return;
    throw new AppError(
      "terminal.no_driver",
      "nobody knows how to prompt this program; give its patterns with --agent-config",
    );
  }
}

const CHANGE_MS = 300;
const STEP_MS = 20;
