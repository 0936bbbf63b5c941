import { randomUUID } from "node:crypto";
import {
  type AgentContext,
  type ClientRequestMethod,
  type ClientRequestParamsByMethod,
  type ClientRequestResponsesByMethod,
  RequestError,
  type StopReason,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { SentCommand } from "../../contract/commands.ts";
import { messageOf } from "../../contract/errors.ts";
import type { Body, ConfigOption, Content, EventOf, RecordedEvent } from "../../contract/events.ts";
import { choosing, declining } from "../../contract/requests/reply.ts";
import {
  advance,
  type OpenRequest,
  type SessionState,
  starting,
  waitingFor,
} from "../../contract/sessions/session-state.ts";
import { revealed } from "../../lib/text/printable.ts";
import { answerOf, formOf } from "./acp-questions.ts";
import { askedOf, updatesOf } from "./acp-updates.ts";

/** What the editor's side needs of us. How runs are started and reached is the caller's affair. */
export interface AcpRuns {
  /** A run that waits for its first prompt; returns its id. */
  start(wishes: { cwd: string; mcpServers: readonly unknown[] }): Promise<string>;
  /** Gives a run its prompt, or goes on with its conversation in a new one; returns the run it went to. */
  prompt(run: string, promptId: string, content: readonly Content[]): Promise<string>;
  tell(run: string, command: SentCommand): Promise<void>;
  /** Ends a run that nobody waits for; of one in which nobody said anything nothing is left. */
  leave(run: string): Promise<void>;
  /** What is in a run's log after that event, and what comes, until it is closed. */
  follow(run: string, after: number, signal: AbortSignal): AsyncIterable<readonly RecordedEvent[]>;
  /** The whole conversation that a run belongs to; throws when there is no such run. */
  history(run: string): { run: string; events: readonly RecordedEvent[]; lastSeq: number };
  /** What people call it. */
  nameOf(run: string): string;
  /** All of a text of which an event of that run may have only the beginning. */
  readBody(run: string, body: Body): string;
  /** Keeps bytes for a prompt; returns their hash. */
  attach(data: Uint8Array): string;
}

type Complete = EventOf<"complete">;

interface Ending {
  promptId: string;
  /** Where the prompt went, once that is known. */
  run: string | undefined;
  begun: boolean;
  resolve(end: Complete): void;
  reject(error: Error): void;
}

/** One conversation of an editor. Its id stays, whatever runs it goes on in. */
export class AcpSession {
  readonly id: string;
  readonly #runs: AcpRuns;
  readonly #client: AgentContext;
  readonly #canAnswer: boolean;
  readonly #leaving = new AbortController();
  /** Where the run stands that is followed. */
  #state: SessionState = starting;
  /** What the editor was asked, each with what takes the question back. */
  readonly #asked = new Map<string, AbortController>();
  #run: string;
  #following: AbortController | undefined;
  #options: readonly ConfigOption[] = [];
  #opened: (() => void) | undefined;
  /** The run whose log was read to its end. */
  #over: string | undefined;
  #ending: Ending | undefined;
  #lastError = "";

  constructor(runs: AcpRuns, client: AgentContext, session: { id: string; run: string; canAnswer: boolean }) {
    this.#runs = runs;
    this.#client = client;
    this.id = session.id;
    this.#run = session.run;
    this.#canAnswer = session.canAnswer;
  }

  get run(): string {
    return this.#run;
  }

  get options(): readonly ConfigOption[] {
    return this.#options;
  }

  /** Listens from then on. Resolves when the agent has said what can be chosen, or soon. */
  async open(after: number, limitMs: number): Promise<void> {
    const opened = new Promise<void>((resolve) => {
      this.#opened = resolve;
      setTimeout(resolve, limitMs).unref();
    });
    void this.#follow(this.#run, after);
    await opened;
  }

  async prompt(content: readonly Content[]): Promise<StopReason> {
    const promptId = randomUUID();
    this.#lastError = "";
    const end = new Promise<Complete>((resolve, reject) => {
      this.#ending = { promptId, run: undefined, begun: false, resolve, reject };
    });
    end.catch(() => {}); // heard below, unless the prompt is refused
    const run = await this.#runs.prompt(this.#run, promptId, content).catch((error: unknown) => {
      this.#ending = undefined;
      throw error;
    });
    if (this.#ending !== undefined) this.#ending.run = run;
    if (run === this.#over) this.#fail(run, "the run has ended");
    if (run !== this.#run) {
      this.#run = run;
      void this.#follow(run, 0);
    }
    return stopReasonOf(await end, this.#lastError);
  }

  async cancel(): Promise<void> {
    for (const asked of this.#asked.values()) asked.abort();
    await this.#runs.tell(this.#run, { type: "interrupt" });
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    await this.#runs.tell(this.#run, { type: "set_option", id, value });
  }

  /** The editor is gone. What works goes on; what is idle has nobody to wait for. */
  async detach(): Promise<void> {
    this.#leaving.abort();
    for (const asked of this.#asked.values()) asked.abort();
    if (this.#ending === undefined) await this.#runs.leave(this.#run).catch(() => {}); // it has ended
  }

  async #follow(run: string, after: number): Promise<void> {
    this.#following?.abort();
    const following = new AbortController();
    this.#following = following;
    this.#state = starting;
    const signal = AbortSignal.any([following.signal, this.#leaving.signal]);
    try {
      for await (const events of this.#runs.follow(run, after, signal)) {
        for (const event of events) await this.#hear(event);
        // Only now: what was asked long ago has its answer further down in the log.
        for (const request of waitingFor(this.#state)) if (!this.#asked.has(request.pendingId)) this.#ask(request);
      }
    } catch (error) {
      this.#fail(run, `read run ${run}: ${messageOf(error)}`);
    }
    if (signal.aborted) return;
    this.#over = run;
    this.#fail(run, this.#lastError || "the run has ended");
  }

  /** A run that is over fails only what was asked of it: the next prompt may be on its way to another. */
  #fail(run: string, why: string): void {
    if (this.#ending?.run !== run) return;
    this.#ending.reject(new Error(why));
    this.#ending = undefined;
  }

  async #hear(event: RecordedEvent): Promise<void> {
    this.#state = advance(this.#state, event);
    for (const update of updatesOf(event)) {
      await this.#client.notify("session/update", { sessionId: this.id, update });
    }
    switch (event.type) {
      case "config_options":
        this.#options = event.options;
        this.#opened?.();
        return;
      case "user_message":
        if (this.#ending?.promptId === event.promptId) this.#ending.begun = true;
        return;
      case "error":
        this.#lastError = event.remedy === undefined ? event.message : `${event.message}; ${event.remedy}`;
        return;
      case "request_resolved":
        this.#asked.get(event.pendingId)?.abort();
        this.#asked.delete(event.pendingId);
        return;
      case "complete":
        if (!this.#ending?.begun) return;
        this.#ending.resolve(event);
        this.#ending = undefined;
        return;
      default:
        return;
    }
  }

  #ask(request: OpenRequest): void {
    const asked = new AbortController();
    this.#asked.set(request.pendingId, asked);
    const answered =
      request.type === "permission_request"
        ? this.#permission(request, asked.signal)
        : this.#question(request, asked.signal);
    // Whoever else answered was first, or the question was taken back: the inbox has it, if anybody has.
    answered.catch(() => {});
  }

  async #permission(request: EventOf<"permission_request">, signal: AbortSignal): Promise<void> {
    const { pendingId } = request;
    const run = this.#run;
    let toolCall: ToolCallUpdate;
    try {
      toolCall = askedOf(request, (body) => this.#runs.readBody(run, body));
    } catch (error) {
      // An editor lets a person allow what it shows: what can't be shown whole is not put to it.
      return this.#sayWhere(request.permissionTitle, pendingId, `not all of it can be shown: ${messageOf(error)}`);
    }
    const params = {
      sessionId: this.id,
      toolCall,
      options: request.permissionOptions.map(({ id, label, kind }) => ({ optionId: id, name: revealed(label), kind })),
    };
    const { outcome } = await this.#request("session/request_permission", params, signal);
    const answer = outcome.outcome === "selected" ? choosing({ id: outcome.optionId }) : declining();
    if (!signal.aborted) await this.#runs.tell(this.#run, { type: "answer", pendingId, answer });
  }

  async #question(request: EventOf<"question_request">, signal: AbortSignal): Promise<void> {
    const { pendingId } = request;
    if (!this.#canAnswer) {
      return this.#sayWhere(request.questions.map(({ text }) => text).join("\n"), pendingId);
    }
    const form = { sessionId: this.id, ...formOf(request) };
    const result = await this.#request("elicitation/create", form, signal);
    const answer = result.action === "accept" ? answerOf(request, result.content) : declining();
    if (!signal.aborted) await this.#runs.tell(this.#run, { type: "answer", pendingId, answer });
  }

  /** What the editor can't ask is answered elsewhere. */
  async #sayWhere(asked: string, pendingId: string, why = ""): Promise<void> {
    const how = `answer it with \`cox answer ${this.#runs.nameOf(this.#run)}.${pendingId} …\`, or in the browser`;
    const text = `\n\n${asked}\n\n(${why === "" ? "" : `${why}; `}${how})\n`;
    const update = { sessionUpdate: "agent_message_chunk" as const, content: { type: "text" as const, text } };
    await this.#client.notify("session/update", { sessionId: this.id, update });
  }

  /** The editor is told when the answer is no longer awaited. */
  #request<Method extends ClientRequestMethod>(
    method: Method,
    params: ClientRequestParamsByMethod[Method],
    cancellationSignal: AbortSignal,
  ): Promise<ClientRequestResponsesByMethod[Method]> {
    return this.#client.request(method, params, { cancellationSignal, stopWaitingOnCancel: true });
  }
}

function stopReasonOf({ outcome, stopReason, reason }: Complete, error: string): StopReason {
  if (outcome === "interrupted") return "cancelled";
  if (outcome === "failed") throw RequestError.internalError({}, error || reason || "the turn failed");
  return stopReason === "max_turns" ? "max_turn_requests" : (stopReason ?? "end_turn");
}
