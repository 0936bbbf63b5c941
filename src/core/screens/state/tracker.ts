import type { AgentState, AgentTrouble, Prompt, Report, Tier } from "./agent-state.ts";
import { combine } from "./combine.ts";

/** A change of state, as it goes over the wire. */
export interface Transition {
  prev: AgentState;
  next: AgentState;
  seq: number;
  prompt: Prompt | null;
  error_detail?: string;
  error_category?: string;
  cause?: string;
  last_message?: string;
}

/** The state of one agent from the reports about it. Its numbers go on over restarts: nobody who counts is misled. */
export class AgentTracker {
  readonly #onTransition: (transition: Transition) => void;
  readonly #now: () => number;
  #since = 0;
  #inputs: Partial<Record<Tier, string>> = {};
  #state: AgentState = "starting";
  #tier: Tier | undefined;
  #cause = "";
  #prompt: Prompt | undefined;
  #trouble: AgentTrouble | undefined;
  #lastMessage: string | undefined;
  #seq = 0;
  #ready = false;

  constructor(onTransition: (transition: Transition) => void, now: () => number) {
    this.#onTransition = onTransition;
    this.#now = now;
  }

  get state(): AgentState {
    return this.#state;
  }

  get seq(): number {
    return this.#seq;
  }

  get prompt(): Prompt | undefined {
    return this.#prompt;
  }

  get trouble(): AgentTrouble | undefined {
    return this.#trouble;
  }

  get tier(): string {
    return this.#tier === undefined ? "none" : String(this.#tier);
  }

  get cause(): string {
    return this.#cause;
  }

  get lastMessage(): string | undefined {
    return this.#lastMessage;
  }

  /** It has left `starting` once. */
  get ready(): boolean {
    return this.#ready;
  }

  report(report: Report): void {
    const held = {
      state: this.#state,
      tier: this.#tier,
      prompt: this.#prompt,
      since: this.#since,
      inputs: this.#inputs,
    };
    const verdict = combine(held, report, this.#now());
    if (verdict === "ignore") return;
    if (verdict === "confirm") return this.#confirm(report);
    const prev = this.#state;
    this.#since = this.#now();
    this.#tier = report.tier;
    this.#state = report.state;
    this.#inputs = {};
    this.#heard(report);
    this.#cause = report.cause;
    this.#prompt = report.state === "prompt" ? report.prompt : undefined;
    this.#trouble = report.state === "error" ? report.trouble : undefined;
    this.#ready ||= report.state !== "starting";
    this.#seq += 1;
    this.#onTransition(this.transition(prev));
  }

  /** More is known of the prompt that is open: the same change again, complete. */
  complete(prompt: Prompt): void {
    if (this.#state !== "prompt") return;
    this.#prompt = prompt;
    this.#onTransition({ ...this.transition("prompt"), cause: "ready" });
  }

  /** What it said last; nothing, when it has begun anew. */
  say(message: string | undefined): void {
    this.#lastMessage = message;
  }

  /** As of now; with itself as predecessor for somebody who has just come. */
  transition(prev: AgentState = this.#state): Transition {
    const { detail, category } = this.#trouble ?? {};
    return {
      prev,
      next: this.#state,
      seq: this.#seq,
      prompt: this.#prompt ?? null,
      ...(detail === undefined ? {} : { error_detail: detail }),
      ...(category === undefined ? {} : { error_category: category }),
      ...(this.#cause === "" ? {} : { cause: this.#cause }),
      ...(this.#lastMessage === undefined ? {} : { last_message: this.#lastMessage }),
    };
  }

  /** The most trusted word counts; but whether a question still stands, the screen knows best. */
  #confirm(report: Report): void {
    const { tier, state, prompt } = report;
    this.#tier = state === "prompt" || this.#tier === undefined || tier < this.#tier ? tier : this.#tier;
    this.#heard(report);
    this.#enrich(prompt);
  }

  #heard({ tier, prompt }: Report): void {
    if (prompt?.input) this.#inputs[tier] ??= prompt.input;
  }

  /** The second observer of a prompt often knows what the first did not: the tool, or the options. */
  #enrich(said: Prompt | undefined): void {
    const held = this.#prompt;
    if (held === undefined || said === undefined) return;
    const better: Prompt = {
      ...held,
      tool: held.tool ?? said.tool,
      input: held.input ?? said.input,
      questions: held.questions.length > 0 ? held.questions : said.questions,
    };
    const isMore = said.ready && (!held.ready || held.options_fallback);
    const whole = isMore ? { ...better, options: said.options, options_fallback: false, ready: true } : better;
    if (JSON.stringify(whole) !== JSON.stringify(held)) this.complete(whole);
  }
}
