import { randomUUID } from "node:crypto";
import type {
  AgentContext,
  ClientRequestMethod,
  ClientRequestParamsByMethod,
  ClientRequestResponsesByMethod,
  PlanEntryStatus,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import { systemClock } from "../lib/base/clock.ts";
import { tokensFor } from "./conversation/history.ts";
import type { Prompt } from "./conversation/prompt.ts";
import type { DemoSession } from "./conversation/session.ts";
import { contextSize } from "./conversation/settings.ts";
import type { Output } from "./output.ts";

/** Thrown out of whatever waits when the client cancels the turn. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** Where a turn is played. */
export interface Stage {
  output: Output;
  /** Factor of the show's pauses; scripts say their own times. */
  speed: number;
  /** Whether the client has forms for questions. */
  canAnswer: boolean;
}

/** From a prompt to its answer: everything the agent can say and ask in between. */
export class Turn {
  readonly session: DemoSession;
  readonly prompt: Prompt;
  readonly signal: AbortSignal;
  readonly stage: Stage;
  /** Whether the agent leaves once the prompt is answered. */
  isLast = false;
  readonly #client: AgentContext;
  #usage: { input: number; output: number } | undefined;
  /** Characters said so far. */
  #written = 0;

  constructor(session: DemoSession, prompt: Prompt, client: AgentContext, signal: AbortSignal, stage: Stage) {
    this.session = session;
    this.prompt = prompt;
    this.signal = signal;
    this.stage = stage;
    this.#client = client;
  }

  async update(update: SessionUpdate): Promise<void> {
    this.record(update);
    await this.#client.notify("session/update", { sessionId: this.session.id, update });
  }

  /** For who writes an update itself: it counts and is remembered all the same. */
  record(update: SessionUpdate): void {
    this.session.history.add(update);
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
      this.#written += update.content.text.length;
    }
  }

  say(text: string, messageId: string = newId("msg")): Promise<void> {
    return this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text }, messageId });
  }

  think(text: string, messageId: string = newId("msg")): Promise<void> {
    return this.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text }, messageId });
  }

  plan(entries: readonly { content: string; status: PlanEntryStatus }[]): Promise<void> {
    return this.update({ sessionUpdate: "plan", entries: entries.map((entry) => ({ ...entry, priority: "medium" })) });
  }

  /** Tells how full the window is and what the conversation has cost so far. */
  reportContext(used: number = this.session.history.tokens(), size = contextSize(this.session.settings.model)) {
    const cost = { amount: this.session.costUsd, currency: "USD" };
    return this.update({ sessionUpdate: "usage_update", used, size, cost });
  }

  /** Ends at once when the turn is cancelled, and tells the client that the answer is no longer awaited. */
  async request<Method extends ClientRequestMethod>(
    method: Method,
    params: ClientRequestParamsByMethod[Method],
  ): Promise<ClientRequestResponsesByMethod[Method]> {
    try {
      const options = { cancellationSignal: this.signal, stopWaitingOnCancel: true };
      return await this.#client.request(method, params, options);
    } catch (error) {
      this.signal.throwIfAborted();
      throw error;
    }
  }

  async pause(ms: number): Promise<void> {
    await systemClock.sleep(ms, this.signal);
    this.signal.throwIfAborted();
  }

  /** What the answer to the prompt will say was used. */
  setUsage(input: number, output: number): void {
    this.#usage = { input, output };
  }

  usage(): { inputTokens: number; outputTokens: number; totalTokens: number } {
    const { input, output } = this.#usage ?? {
      input: tokensFor(this.prompt.text.length),
      output: tokensFor(this.#written),
    };
    return { inputTokens: input, outputTokens: output, totalTokens: input + output };
  }
}

export const newId = (prefix: string): string => `${prefix}_${randomUUID()}`;
