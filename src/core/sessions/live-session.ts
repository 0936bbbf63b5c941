import type { CommandOf, SentCommand } from "../../contract/commands.ts";
import { AppError, messageOf } from "../../contract/errors.ts";
import type { AgentEvent, Content, EventOf, Question, QueuedPrompt, Usage } from "../../contract/events.ts";
import type { Policy } from "../../contract/requests/policy.ts";
import { closing, nothingOpen, type OpenItems, track } from "../../contract/sessions/open-items.ts";
import type { Session } from "../../contract/sessions/session.ts";
import type { OpenRequest } from "../../contract/sessions/session-state.ts";
import { Channel } from "../../lib/base/channel.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { ContextMeter } from "./context-meter.ts";
import { CutTurns } from "./cut-turns.ts";
import { type AskOutcome, OwnQuestions } from "./own-questions.ts";
import type { Recollection } from "./recollection.ts";
import { RequestNames } from "./request-names.ts";
import { deciderOf, type Remember, Requests, type RulesFor } from "./requests.ts";
import { Silence, SilenceNotice } from "./silence.ts";

/** An agent that ignores an interrupt keeps people waiting no longer than this. */
const INTERRUPT_RELEASE_MS = 3000;

export interface LiveSessionOptions {
  policy: Policy;
  rules?: RulesFor;
  remember?: Remember;
  clock: Clock;
  /** Goes to the agent before the first prompt without being part of what the person said. */
  preface?: string;
  /** What the preface tells is an earlier conversation: this one goes on from it, in the only way the agent knows. */
  retold?: boolean;
  /** For an agent that may forget everything between two turns. */
  recollection?: Recollection;
  /** How long an agent that owes an answer may say nothing; without it, for ever. */
  silenceMs?: number;
  /** Says how full the window is, for agents that report only tokens. */
  context?: ContextMeter;
  /** Adds what a turn cost, for agents that report only tokens. */
  price?: (usage: Usage) => Usage;
}

/**
 * One live conversation, whatever the protocol: prompts wait their turn here, requests meet the policy, interrupts are
 * released in time. It adds what only we know (who answered, what is queued) and passes on what the agent says.
 */
export class LiveSession {
  readonly events: AsyncIterable<AgentEvent>;
  readonly #session: Session;
  readonly #clock: Clock;
  readonly #out = new Channel<AgentEvent>();
  readonly #requests: Requests;
  readonly #names = new RequestNames();
  readonly #own = new OwnQuestions(
    (event) => this.#hear(event),
    () => this.#names.next(),
  );
  /** Of this turn's tool calls: a permission that is asked for one of them may not name it. */
  readonly #toolNames = new Map<string, string>();
  #queue: QueuedPrompt[] = [];
  #open: OpenItems = nothingOpen;
  #starting = false;
  #closed = false;
  #can: readonly string[] = [];
  #takeBackRelease: (() => void) | undefined;
  readonly #silence: Silence | undefined;
  readonly #notice: SilenceNotice;
  readonly #cut = new CutTurns();
  /** Interrupted before the agent has begun with it. */
  #interruptFirst: { by?: string | undefined } | undefined;
  readonly #preface: string | undefined;
  #isPrefaced = false;
  readonly #retold: boolean;
  readonly #recollection: Recollection | undefined;
  readonly #context: ContextMeter | undefined;
  readonly #price: (usage: Usage) => Usage;

  constructor(session: Session, options: LiveSessionOptions) {
    this.#session = session;
    this.#clock = options.clock;
    this.#preface = options.preface;
    this.#retold = options.retold ?? false;
    this.#recollection = options.recollection;
    this.#context = options.context;
    this.#price = options.price ?? ((usage) => usage);
    this.#requests = new Requests(options, options.clock, async (pendingId, answer) =>
      this.#own.has(pendingId)
        ? this.#own.answer(pendingId, answer)
        : session.send({ type: "answer", pendingId: this.#names.theirs(pendingId), answer }),
    );
    const { silenceMs: limit } = options;
    if (limit !== undefined) this.#silence = new Silence(this.#clock, limit, (turn) => this.#giveUp(turn, limit));
    this.#notice = new SilenceNotice(this.#clock, (notice) => this.#emit(notice));
    this.events = this.#out;
    void this.#pump();
  }

  async send(command: SentCommand): Promise<void> {
    if (this.#closed) throw new AppError("run.not_live", "the conversation is closed; start a new run with --resume");
    switch (command.type) {
      case "prompt":
        return this.#prompt(command);
      case "edit_queue":
        return this.#editQueue(command);
      case "answer":
        return this.#requests.answer(command, command.by);
      case "interrupt":
        return this.#interrupt(command);
      default: {
        const { by: _, ...plain } = command;
        return this.#session.send(plain);
      }
    }
  }

  /** A question of the run's own tools; never rejects once it is asked. */
  async ask(questions: readonly Question[], signal: AbortSignal): Promise<AskOutcome> {
    if (this.#closed || !this.busy) throw new AppError("run.not_live", "ask: no turn is under way that could wait");
    return this.#own.ask(questions, this.#open.turn, signal);
  }

  async close(reason: string): Promise<void> {
    this.#closed = true;
    await this.#session.close(reason);
  }

  get busy(): boolean {
    return this.#starting || this.#open.turn !== undefined;
  }

  async #pump(): Promise<void> {
    try {
      const isOpen = (name: string) => this.#open.requests.has(name);
      for await (const event of this.#session.events) this.#hear(this.#names.translate(event, isOpen));
      this.#out.end();
    } catch (error) {
      this.#out.fail(error);
    } finally {
      this.#closed = true;
      this.#takeBackRelease?.();
      this.#silence?.end();
      this.#notice.end();
      this.#own.cancelAll("the conversation is closed");
    }
  }

  #hear(said: AgentEvent): void {
    const event = this.#complement(said);
    // An interrupted turn that we gave up on may still end: once is enough.
    if (event.type === "complete" && event.turn !== this.#open.turn) return;
    const window = this.#context?.heard(event);
    if (window !== undefined) this.#emit(window);
    if (event.type === "session_status" && "can" in event && event.can) this.#can = event.can;
    if (event.type === "turn_started") this.#starting = false;
    if (event.type === "tool_call") this.#toolNames.set(event.toolCallId, event.toolName);
    if (event.type === "permission_request" || event.type === "question_request") return this.#asked(event);
    if (event.type === "complete") this.#own.cancelAll("the turn has ended");
    const isRetold = this.#retold && event.type === "session_status" && event.status === "new";
    this.#pass(isRetold ? { ...event, status: "resumed", resumedBy: "context" } : event);
    if (event.type === "turn_started") this.#turnStarted(event.turn);
    if (event.type === "complete") this.#turnEnded();
  }

  #asked(event: OpenRequest): void {
    const decision = this.#requests.decide(event);
    const request = { ...event, decider: deciderOf(decision) };
    this.#pass(request);
    this.#requests.opened(request, decision, (own) => this.#pass(own));
  }

  /** What a turn cost, and which tool a permission is for, where the agent left it out. */
  #complement(event: AgentEvent): AgentEvent {
    if (event.type === "complete" && event.usage) return { ...event, usage: this.#price(event.usage) };
    if (event.type === "usage") return { ...event, usage: this.#price(event.usage) };
    if (event.type !== "permission_request" || event.toolName !== undefined) return event;
    const toolName = this.#toolNames.get(event.toolCallId ?? "");
    return toolName === undefined ? event : { ...event, toolName };
  }

  #pass(event: AgentEvent): void {
    if (event.type === "request_resolved") {
      if (!this.#open.requests.has(event.pendingId)) return; // it expired here, and now there too
      this.#emit(this.#requests.resolved(event));
      this.#own.resolved(event);
    } else this.#emit(event.type === "complete" ? this.#cut.ended(event) : event);
  }

  #emit(event: AgentEvent): void {
    this.#open = track(this.#open, event);
    this.#recollection?.heard(event);
    this.#out.push(event);
    this.#silence?.heard(this.#open);
    this.#notice.heard(this.#open);
  }

  #turnStarted(turn: string): void {
    this.#own.turnStarted(turn);
    const first = this.#interruptFirst;
    this.#interruptFirst = undefined;
    if (first !== undefined) this.#interrupt({ type: "interrupt", ...first }).catch(() => {}); // it is released all the same
  }

  #turnEnded(): void {
    this.#takeBackRelease?.();
    this.#toolNames.clear();
    const [next, ...rest] = this.#queue;
    if (next === undefined || this.#closed) return;
    this.#queue = rest;
    this.#emitQueue();
    this.#start(next).catch((error: unknown) => this.#emit(notSent(error)));
  }

  async #prompt(command: CommandOf<"prompt"> & { by?: string }): Promise<void> {
    const prompt: QueuedPrompt = { promptId: command.promptId, content: command.content, by: command.by };
    if (!this.busy) return this.#start(prompt);
    if (command.delivery === "steer" && this.#can.includes("steer") && !this.#starting) return this.#steer(prompt);
    this.#queue = [...this.#queue, prompt];
    this.#emitQueue();
  }

  async #start(prompt: QueuedPrompt): Promise<void> {
    this.#starting = true;
    const { promptId, content, by } = prompt;
    const preface = this.#takePreface();
    this.#emit({ type: "user_message", promptId, content, delivery: "start", by });
    try {
      await this.#session.send({ type: "prompt", promptId, content: [...preface, ...content], delivery: "queue" });
    } catch (error) {
      this.#starting = false;
      this.#interruptFirst = undefined;
      throw error;
    }
  }

  /** Said once; an agent that has forgotten it hears it again. */
  #takePreface(): Content[] {
    const recalled = this.#recollection?.words;
    const preface = this.#isPrefaced && recalled === undefined ? undefined : this.#preface;
    this.#isPrefaced = true;
    return [preface, recalled].flatMap((text) => (text === undefined ? [] : [{ type: "text" as const, text }]));
  }

  async #steer({ promptId, content, by }: QueuedPrompt): Promise<void> {
    await this.#session.send({ type: "prompt", promptId, content, delivery: "steer" });
    this.#emit({ type: "user_message", promptId, turn: this.#open.turn, content, delivery: "steer", by });
  }

  #editQueue({ promptIds, edited }: CommandOf<"edit_queue">): void {
    const unknown = promptIds.find((id) => !this.#queue.some((prompt) => prompt.promptId === id));
    if (unknown !== undefined) throw new AppError("request.not_found", `prompt ${unknown}: not in the queue any more`);
    this.#queue = promptIds.flatMap((id) => this.#queue.find((prompt) => prompt.promptId === id) ?? []);
    if (edited) {
      this.#queue = this.#queue.map((prompt) =>
        prompt.promptId === edited.promptId ? { ...prompt, content: edited.content } : prompt,
      );
    }
    this.#emitQueue();
  }

  #emitQueue(): void {
    this.#emit({ type: "prompt_queue", prompts: this.#queue });
  }

  async #interrupt(command: CommandOf<"interrupt"> & { by?: string }): Promise<void> {
    const { turn } = this.#open;
    if (turn === undefined && this.#starting && command.turn === undefined) {
      this.#interruptFirst = { by: command.by };
      return;
    }
    if (turn === undefined || (command.turn !== undefined && command.turn !== turn)) return; // it ended meanwhile
    this.#cut.interrupt(turn);
    this.#requests.cancelOpen(command.by);
    this.#own.cancelAll("interrupted");
    await this.#cutShort(turn);
  }

  async #cutShort(turn: string): Promise<void> {
    this.#takeBackRelease?.();
    this.#takeBackRelease = this.#clock.after(INTERRUPT_RELEASE_MS, () => this.#release(turn));
    await this.#session.send({ type: "interrupt", turn });
  }

  /** It stays usable: perhaps the next prompt gets through. */
  #giveUp(turn: string, silentMs: number): void {
    const reason = `no word from the agent for ${Math.round(silentMs / 1000)} s: its model's server doesn't answer, or it hangs`;
    if (!this.#cut.lose(turn, reason)) return;
    const remedy = "check the connection and the base URL, then try again";
    this.#emit({ type: "error", category: "network", turn, message: reason, retryable: true, remedy });
    this.#cutShort(turn).catch(() => {}); // it can't even be told: it is released all the same
  }

  #release(turn: string): void {
    if (this.#open.turn !== turn) return;
    const reason = "interrupted; the agent did not react within 3 s";
    for (const event of closing(this.#open, reason, "interrupted")) this.#pass(event);
    this.#turnEnded();
  }
}

function notSent(error: unknown): EventOf<"error"> {
  return { type: "error", category: "process", message: `send prompt: ${messageOf(error)}`, retryable: true };
}
