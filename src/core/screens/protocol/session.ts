import type { Answer, Command } from "../../../contract/commands.ts";
import { AppError } from "../../../contract/errors.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import type { Session } from "../../../contract/sessions/session.ts";
import { onlyWords } from "../../../contract/words/content.ts";
import { Channel } from "../../../lib/base/channel.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import { randomUUID } from "../../../lib/base/crypto.ts";
import type { Exit } from "../../../lib/process/exit.ts";
import { Conversation } from "../conversation.ts";
import type { Driver } from "../drivers/driver.ts";
import type { Waits } from "../settings.ts";
import type { Prompt } from "../state/agent-state.ts";
import { AgentTracker, type Transition } from "../state/tracker.ts";
import { Watch } from "../state/watch.ts";
import type { TerminalConfig } from "./config.ts";
import { ProcessConsole, type TerminalProcess } from "./process-console.ts";
import { Spoken } from "./spoken.ts";
import { replyOf, requestOf, resolvedBy } from "./turns.ts";

export type Start = (turn?: { args?: readonly string[] }) => Promise<TerminalProcess>;

interface Turn {
  id: string;
  spoken: Spoken;
  interrupted: boolean;
}

/** A conversation with a program that has only a screen: what it asks is read there, what one answers is typed. */
export class TerminalSession implements Session {
  readonly events = new Channel<AgentEvent>();
  readonly #start: Start;
  readonly #config: TerminalConfig;
  readonly #driver: Driver;
  readonly #clock: Clock;
  readonly #waits: Waits;
  #console: ProcessConsole | undefined;
  #conversation: Conversation | undefined;
  #tracker: AgentTracker | undefined;
  #watch: Watch | undefined;
  #turn: Turn | undefined;
  #asked: { prompt: Prompt; request: ReturnType<typeof requestOf>; answer?: Answer } | undefined;
  #ready: () => void = () => {};
  #isClosed = false;

  constructor(start: Start, config: TerminalConfig, driver: Driver, clock: Clock, waits: Waits) {
    this.#start = start;
    this.#config = config;
    this.#driver = { ...driver, takesPrompts: true };
    this.#clock = clock;
    this.#waits = waits;
  }

  /** With a prompt flag there is nothing to start before the first prompt. */
  async open(): Promise<void> {
    this.events.push({ type: "session_status", status: "new", sessionId: randomUUID(), can: ["interrupt"] });
    if (this.#config.prompt_flag === undefined) await this.#launch();
  }

  async send(command: Command): Promise<void> {
    switch (command.type) {
      case "prompt":
        return this.#prompt(onlyWords(command.content, refused));
      case "answer":
        return this.#answer(command.pendingId, command.answer);
      case "interrupt":
        return this.#interrupt(command.turn);
      case "input":
        return void this.#live().write(command.data);
      case "resize":
        return this.#live().resize(command.cols, command.rows);
      default:
        throw new AppError("command.unsupported", `a terminal can't take the command ${command.type}`);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#console?.process.stop(GRACE_MS);
    await this.#console?.ended;
    this.#watch?.close();
    this.events.end();
  }

  async #launch(args?: readonly string[]): Promise<void> {
    const console = new ProcessConsole(await this.#start(args === undefined ? undefined : { args }), SIZE);
    const tracker = new AgentTracker(
      (transition) => this.#onTransition(transition),
      () => this.#clock.now(),
    );
    const parts = { terminal: console, tracker, driver: this.#driver, clock: this.#clock, waits: this.#waits };
    this.#console = console;
    this.#tracker = tracker;
    this.#watch = new Watch({ ...parts, onChange: () => {} });
    this.#conversation = new Conversation({ ...parts, tell: () => {} });
    console.output.listen((chunk) => this.#turn?.spoken.hear(chunk));
    const ready = new Promise<void>((resolve) => {
      this.#ready = resolve;
    });
    void console.ended.then((exit) => this.#onExit(exit));
    if (args === undefined) await ready;
  }

  async #prompt(text: string): Promise<void> {
    if (this.#isClosed) throw new AppError("command.unsupported", "the terminal is closed");
    const id = randomUUID();
    this.#turn = { id, spoken: new Spoken(text, SIZE.rows, (line) => this.#isPromptLine(line)), interrupted: false };
    this.events.push({ type: "turn_started", turn: id });
    if (this.#console === undefined)
      return this.#launch([this.#config.prompt_flag ?? "", text].filter((word) => word !== ""));
    const { delivered, reason } = (await this.#conversation?.nudge(text)) ?? { delivered: false };
    if (!delivered) return this.#complete("failed", reason ?? "it can't be typed");
    void this.#expectWork(this.#turn);
  }

  /** One that has answered before anybody looked was never seen at work; one that is slow to begin gets its time. */
  async #expectWork(turn: Turn | undefined): Promise<void> {
    for (let waited = 0; waited < BEGIN_MS; waited += STEP_MS) {
      await this.#clock.sleep(STEP_MS);
      if (this.#turn !== turn || this.#tracker?.state !== "idle") return;
    }
    this.#tracker?.report({ tier: 5, state: "working", cause: "typed" });
    await this.#watch?.look();
  }

  #onTransition({ next, prompt, error_detail, cause }: Transition): void {
    if (next === "starting") return;
    this.#ready();
    if (next !== "prompt") this.#settle();
    const isAsked = cause === "ready" && this.#asked !== undefined;
    if (next === "prompt" && prompt?.ready && !isAsked) this.#ask(prompt);
    if (next === "idle") this.#complete(this.#turn?.interrupted ? "interrupted" : "completed");
    if (next === "error" && this.#turn !== undefined) this.#fail(error_detail ?? "it shows an error");
  }

  #ask(prompt: Prompt): void {
    const how = this.#driver.passes?.(prompt.subtype ?? "", prompt.options);
    if (how !== undefined) return void this.#conversation?.pass(prompt).catch(() => {});
    this.#settle();
    const request = requestOf(prompt, randomUUID(), this.#turn?.id);
    this.#asked = { prompt, request };
    this.events.push(request);
  }

  /** What it asked is not on the screen any more: answered by us, or by somebody at its keyboard. */
  #settle(): void {
    const asked = this.#asked;
    if (asked === undefined) return;
    this.#asked = undefined;
    this.events.push(resolvedBy(asked.answer, asked.request));
  }

  async #answer(pendingId: string, answer: Answer): Promise<void> {
    const asked = this.#asked;
    if (asked?.request.pendingId !== pendingId)
      throw new AppError("request.not_found", `request ${pendingId}: not open`);
    this.#asked = { ...asked, answer };
    const { yes = "y", no = "n" } = this.#config;
    const { delivered, reason } = (await this.#conversation?.respond(replyOf(asked.prompt, answer, { yes, no }))) ?? {
      delivered: false,
    };
    if (!delivered) throw new AppError("agent.failed", `answer ${pendingId}: ${reason ?? "it could not be typed"}`);
  }

  async #interrupt(turn: string | undefined): Promise<void> {
    if (this.#turn === undefined || (turn !== undefined && turn !== this.#turn.id)) return;
    this.#turn.interrupted = true;
    this.#live().write(this.#config.interrupt ?? "\x1b");
  }

  #onExit(exit: Exit): void {
    this.#ready();
    this.#watch?.close();
    this.#settle();
    const isGood = exit.code === 0 && exit.signal === undefined;
    if (this.#turn !== undefined && !isGood && !this.#turn.interrupted) this.#fail(`it exited with ${exit.code}`);
    else this.#complete(this.#turn?.interrupted ? "interrupted" : "completed");
    this.#console = undefined;
    if (this.#config.prompt_flag === undefined) this.events.end();
  }

  #fail(message: string): void {
    this.events.push({ type: "error", turn: this.#turn?.id, message, retryable: false, category: "other" });
    this.#complete("failed", message);
  }

  #complete(outcome: "completed" | "interrupted" | "failed", reason?: string): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    this.#turn = undefined;
    const shown = this.#console?.screen.snapshot();
    const text = turn.spoken.end(shown?.alt_screen ? shown.lines : undefined);
    if (text !== "") this.events.push({ type: "message_chunk", turn: turn.id, messageId: `${turn.id}-1`, text });
    this.events.push({ type: "complete", turn: turn.id, outcome, ...(reason === undefined ? {} : { reason }) });
  }

  #isPromptLine(line: string): boolean {
    const { prompt_pattern } = this.#config;
    return prompt_pattern !== undefined && new RegExp(prompt_pattern, "u").test(line);
  }

  #live(): ProcessConsole {
    if (this.#console !== undefined) return this.#console;
    throw new AppError("command.unsupported", "there is no program on the terminal now");
  }
}

const SIZE = { cols: 200, rows: 50 };
const GRACE_MS = 2000;
const BEGIN_MS = 2500;
const STEP_MS = 50;

const refused = (what: string) => new AppError("command.unsupported", `a terminal can't take ${what}`);
