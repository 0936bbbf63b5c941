import type { Answer, Command, CommandOf } from "../../../contract/commands.ts";
import { AppError, wrap } from "../../../contract/errors.ts";
import type { Session } from "../../../contract/sessions/session.ts";
import { type Clock, systemClock } from "../../../lib/base/clock.ts";
import { VERSION } from "../../../lib/base/version.ts";
import { endGently } from "../end-gently.ts";
import { describeExit, type Link, openLink, unlessPanic } from "../link.ts";
import { serversOf } from "../own-tools/servers.ts";
import type { AgentProcess, OpenOptions, Protocol } from "../protocol.ts";
import { type Json, numberOf, objectOf, textOf } from "../read.ts";
import { Replies } from "../replies.ts";
import { within } from "../within.ts";
import { isAsk, reasonToDeny, replyTo } from "./asks.ts";
import { troubleOf } from "./errors.ts";
import { type CodexMessage, DEADLINE_ID, METHOD_NOT_FOUND, type RpcId } from "./messages.ts";
import { type CodexState, PROTOCOL } from "./state.ts";
import { inputOf, threadRequest } from "./thread.ts";
import { codexTranslator } from "./translate.ts";

const START_MS = 120_000;
const NETWORK_DEADLINE_MS = 60_000;
/** After the deadline codex has this long to end the turn that we interrupt, then it is stopped. */
const LAST_CHANCE_MS = 5000;

/** `codex app-server`: one process, one thread of the conversation in it. */
export function codex(clock: Clock = systemClock): Protocol {
  return {
    name: PROTOCOL,
    async open(launch, options, signal) {
      signal.throwIfAborted();
      const session = new CodexSession(await launch(), options, clock);
      const abort = () => void session.close("aborted");
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort(); // while the program was being started
      void session.ended.then(() => signal.removeEventListener("abort", abort));
      try {
        await session.start();
        return session;
      } catch (error) {
        await session.stop();
        signal.throwIfAborted();
        throw wrap("open conversation", error);
      }
    },
  };
}

class CodexSession implements Session {
  readonly events: Session["events"];
  readonly ended: Promise<unknown>;
  readonly #process: AgentProcess;
  readonly #options: OpenOptions;
  readonly #clock: Clock;
  readonly #link: Link<CodexMessage, CodexState>;
  readonly #replies = new Replies<RpcId, CodexMessage>();
  #requests = 0;
  #closedBecause: string | undefined;
  #whenIdle: (() => void) | undefined;
  #active: Promise<void> = Promise.resolve();
  #whenActive: (() => void) | undefined;
  #takeBackDeadline: (() => void) | undefined;

  constructor(process: AgentProcess, options: OpenOptions, clock: Clock) {
    this.#process = process;
    this.#options = options;
    this.#clock = clock;
    this.#link = openLink({
      protocol: PROTOCOL,
      process,
      translator: codexTranslator,
      received: (message) => this.#received(message),
      closedBecause: () => this.#closedBecause,
    });
    this.events = this.#link.events;
    this.ended = this.#link.ended.then((exit) => {
      this.#reached();
      this.#whenActive?.();
      this.#replies.fail(this.#gone(describeExit(exit)));
    });
  }

  async start(): Promise<void> {
    const opened = this.#open();
    if (!(await within(this.#clock, START_MS, opened))) {
      throw new AppError("timeout", `codex did not answer within ${START_MS / 1000} s`);
    }
    await opened;
  }

  async stop(): Promise<void> {
    await this.#process.stop(0);
    await this.ended;
  }

  async send(command: Command): Promise<void> {
    switch (command.type) {
      case "prompt":
        return this.#prompt(command);
      case "answer":
        return this.#answer(command.pendingId, command.answer);
      case "interrupt":
        return this.#interrupt(command.turn);
      case "set_option":
        return this.#setOption(command);
      default:
        throw new AppError("command.unsupported", `codex can't take the command ${command.type}`);
    }
  }

  async close(reason: string): Promise<void> {
    this.#closedBecause ??= reason;
    await endGently(this.#process, this.ended, this.#clock, this.#interrupted());
  }

  async #open(): Promise<void> {
    const mcpServers = await serversOf(this.#options, { takesHttp: true });
    const { method, params } = threadRequest({ ...this.#options, mcpServers });
    const clientInfo = { name: "coxswain", title: "Coxswain", version: VERSION };
    // Questions and settings are among what codex calls experimental.
    const capabilities = { experimentalApi: true, requestAttestation: false };
    await this.#request("initialize", { clientInfo, capabilities });
    await this.#link.send({ method: "initialized" });
    await this.#request("model/list", {}).catch(() => {}); // a provider without a list: then any model may be named
    await this.#request(method, params).catch((error: unknown) => {
      const isRefused = error instanceof AppError && error.code === "command.unsupported";
      throw isRefused && this.#options.resume ? new AppError("run.not_resumable", error.message) : error;
    });
  }

  async #prompt({ content, delivery }: CommandOf<"prompt">): Promise<void> {
    const input = await Promise.all(content.map((part) => inputOf(part, this.#options)));
    const { threadId, turn } = this.#link.state;
    if (delivery === "steer" && turn !== undefined) {
      await this.#request("turn/steer", { threadId, expectedTurnId: await this.#turnId(), input });
      return;
    }
    this.#active = new Promise((resolve) => {
      this.#whenActive = resolve;
    });
    // If codex refuses the turn, the translator fails it: that is an event, not an error of this call.
    await this.#link.send({ id: this.#nextId(), method: "turn/start", params: { threadId, input } });
  }

  async #answer(pendingId: string, answer: Answer): Promise<void> {
    const ask = this.#link.state.asks.get(pendingId);
    if (ask === undefined) throw new AppError("request.not_found", `request ${pendingId}: was never asked`);
    if (ask === "closed") throw new AppError("request.resolved", `request ${pendingId}: is not open any more`);
    const result = replyTo(ask, answer);
    const reason = reasonToDeny(ask, answer);
    if (reason !== undefined) await this.#sayInto(`This was denied: ${reason}`);
    await this.#link.send({ id: ask.id, result });
  }

  /** An answer has no room for words; what is said into the turn reaches the model together with it. */
  async #sayInto(text: string): Promise<void> {
    const { threadId, turn } = this.#link.state;
    if (turn?.codexId === undefined) return;
    const input = [{ type: "text", text, text_elements: [] }];
    const params = { threadId, expectedTurnId: turn.codexId, input };
    await this.#link.send({ id: this.#nextId(), method: "turn/steer", params });
  }

  async #interrupt(turn: string | undefined, id: RpcId = this.#nextId()): Promise<void> {
    const open = this.#link.state.turn;
    if (open === undefined || (turn !== undefined && turn !== open.id)) return;
    const turnId = await this.#turnId();
    const params = { threadId: this.#link.state.threadId, turnId };
    if (turnId !== undefined) await this.#link.send({ id, method: "turn/interrupt", params });
  }

  async #interrupted(): Promise<void> {
    if (this.#link.state.turn === undefined) return;
    const idle = new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
    await this.#interrupt(undefined);
    await idle;
  }

  async #setOption({ id, value }: CommandOf<"set_option">): Promise<void> {
    const setting = settings[id];
    if (setting === undefined) throw new AppError("command.unsupported", `codex has no option ${id}`);
    await this.#request("thread/settings/update", { threadId: this.#link.state.threadId, [setting]: value });
  }

  /** Between its answer and `turn/started` codex knows of no turn that could be interrupted or steered. */
  async #turnId(): Promise<string | undefined> {
    await this.#active;
    return this.#link.state.turn?.codexId;
  }

  async #request(method: string, params: Json): Promise<Json> {
    const id = this.#nextId();
    const reply = this.#replies.expect(id);
    await this.#link.send({ id, method, params }).catch(unlessPanic);
    const { result, error } = await reply;
    if (error === undefined) return objectOf(result);
    throw new AppError("command.unsupported", `${method}: ${textOf(error.message) ?? "refused by codex"}`);
  }

  #received(message: CodexMessage): void {
    const { id, method } = message;
    if (method === undefined) {
      if (id !== undefined) this.#replies.settle(id, message);
    } else if (id !== undefined && !isAsk(method)) {
      const error = { code: METHOD_NOT_FOUND, message: `${method}: not offered by this client` };
      this.#link.send({ id, error }).catch(() => {}); // the agent is gone: its exit tells
    } else this.#watchNetwork(message);
    if (this.#link.state.turn === undefined) this.#whenIdle?.();
    if (this.#link.state.turn === undefined || method === "turn/started") this.#whenActive?.();
  }

  /** Codex waits for its server for ever, saying so every minute: whoever waits for codex needs an end. */
  #watchNetwork({ method = "", params = {} }: CodexMessage): void {
    if (method.startsWith("item/") || method.startsWith("turn/")) return this.#reached();
    const isOffline =
      method === "error" && params.willRetry === true && troubleOf(objectOf(params.error)).category === "network";
    if (!isOffline || this.#takeBackDeadline !== undefined) return;
    const deadline = numberOf(this.#options.config.network_deadline_ms) ?? NETWORK_DEADLINE_MS;
    this.#takeBackDeadline = this.#clock.after(deadline, () => void this.#giveUp());
  }

  #reached(): void {
    this.#takeBackDeadline?.();
    this.#takeBackDeadline = undefined;
  }

  async #giveUp(): Promise<void> {
    const turn = this.#link.state.turn?.id;
    this.#takeBackDeadline = this.#clock.after(LAST_CHANCE_MS, () => {
      if (turn !== undefined && this.#link.state.turn?.id === turn) void this.#process.stop(0);
    });
    await this.#interrupt(turn, `${DEADLINE_ID}-${this.#nextId()}`).catch(() => {}); // gone already
  }

  #gone(exit: string): AppError {
    const tail = this.#process.stderrTail();
    return new AppError("agent.failed", `${exit}${tail === "" ? "" : `: ${tail}`}`);
  }

  #nextId(): number {
    this.#requests += 1;
    return this.#requests;
  }
}

const settings: Readonly<Record<string, string>> = { model: "model", effort: "effort", mode: "approvalPolicy" };
