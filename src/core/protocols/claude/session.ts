import type { Answer, Command, CommandOf } from "../../../contract/commands.ts";
import { AppError, wrap } from "../../../contract/errors.ts";
import type { Session } from "../../../contract/sessions/session.ts";
import { type Clock, systemClock } from "../../../lib/base/clock.ts";
import { randomUUID } from "../../../lib/base/crypto.ts";
import { endGently } from "../end-gently.ts";
import { describeExit, type Link, openLink } from "../link.ts";
import type { AgentProcess, OpenOptions, Protocol } from "../protocol.ts";
import { type Json, listOf, objectOf, textOf } from "../read.ts";
import { Replies } from "../replies.ts";
import { within } from "../within.ts";
import { claudeArgs } from "./arguments.ts";
import { HostedTools } from "./hosted-tools.ts";
import { mcpConfig } from "./mcp-file.ts";
import { type ClaudeMessage, controlError, controlRequest, controlSuccess, userMessage } from "./messages.ts";
import { replyTo } from "./translate/asks.ts";
import { contentBlock } from "./translate/content.ts";
import { type ClaudeState, type Opening, PROTOCOL } from "./translate/state.ts";
import { claudeTranslator } from "./translate/translate.ts";

const START_MS = 120_000;

/** Claude Code as one long-lived process that speaks stream-json both ways. */
export function claudeCode(clock: Clock = systemClock): Protocol {
  return {
    name: PROTOCOL,
    async open(launch, options, signal) {
      signal.throwIfAborted();
      const mcp = await mcpConfig(options);
      try {
        const { args, opening } = conversationOf(options, mcp.argument);
        const session = new ClaudeSession(await launch({ args }), opening, options, clock);
        await startUnless(signal, session);
        return session;
      } finally {
        await mcp.remove(); // read at the start only
      }
    },
  };
}

/** A new conversation or a fork gets an id of our choice, so that it is known before its first turn. */
function conversationOf({ resumeInArguments, model, ...options }: OpenOptions, mcpConfig: string | undefined) {
  const resume = options.resume ?? resumeInArguments;
  const sessionId = resume !== undefined && !resume.fork ? resume.sessionId : randomUUID();
  const opening: Opening = { resumed: resume !== undefined, sessionId };
  const isSaid = resumeInArguments !== undefined;
  return { args: claudeArgs({ sessionId, resume, isSaid, model, mcpConfig }), opening };
}

async function startUnless(signal: AbortSignal, session: ClaudeSession): Promise<void> {
  const abort = () => void session.close("aborted");
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort(); // while the program was being started
  void session.ended.then(() => signal.removeEventListener("abort", abort));
  try {
    await session.start();
  } catch (error) {
    await session.stop();
    signal.throwIfAborted();
    throw wrap("open conversation", error);
  }
}

class ClaudeSession implements Session {
  readonly events: Session["events"];
  readonly ended: Promise<unknown>;
  readonly #process: AgentProcess;
  readonly #options: OpenOptions;
  readonly #clock: Clock;
  readonly #link: Link<ClaudeMessage, ClaudeState>;
  readonly #replies = new Replies<string, Json>();
  readonly #tools: HostedTools | undefined;
  #requests = 0;
  #refusal: string | undefined;
  #closedBecause: string | undefined;
  #whenIdle: (() => void) | undefined;

  constructor(process: AgentProcess, opening: Opening, options: OpenOptions, clock: Clock) {
    this.#process = process;
    this.#options = options;
    this.#clock = clock;
    this.#link = openLink({
      protocol: PROTOCOL,
      process,
      translator: claudeTranslator(opening),
      received: (message) => this.#received(message),
      closedBecause: () => this.#closedBecause,
    });
    this.events = this.#link.events;
    this.#tools =
      options.tools &&
      new HostedTools(options.tools, {
        reply: (message) => this.#say(message),
        ask: (request) => this.#say(controlRequest(this.#nextId(), request)),
      });
    this.ended = this.#link.ended.then((exit) => {
      this.#tools?.close();
      this.#replies.fail(this.#gone(describeExit(exit)));
    });
  }

  async start(): Promise<void> {
    const sdkMcpServers = this.#tools && [this.#tools.name];
    const answer = this.#request({ subtype: "initialize", hooks: null, sdkMcpServers, forwardSubagentText: true });
    if (!(await within(this.#clock, START_MS, answer))) {
      throw new AppError("timeout", `the agent did not answer within ${START_MS / 1000} s`);
    }
    await answer;
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
        throw new AppError("command.unsupported", `Claude Code can't take the command ${command.type}`);
    }
  }

  async close(reason: string): Promise<void> {
    this.#closedBecause ??= reason;
    await endGently(this.#process, this.ended, this.#clock, this.#interrupted());
  }

  async #interrupted(): Promise<void> {
    if (this.#link.state.turn === undefined) return;
    const idle = new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
    await this.#interrupt(undefined);
    await idle;
  }

  async #prompt({ promptId, content }: CommandOf<"prompt">): Promise<void> {
    const blocks = await Promise.all(content.map((part) => contentBlock(part, this.#options)));
    await this.#link.send(userMessage(blocks, isUuid(promptId) ? promptId : randomUUID()));
  }

  async #answer(pendingId: string, answer: Answer): Promise<void> {
    const ask = this.#link.state.asks.get(pendingId);
    if (ask === undefined) throw new AppError("request.not_found", `request ${pendingId}: was never asked`);
    if (ask === "closed") throw new AppError("request.resolved", `request ${pendingId}: is not open any more`);
    await this.#link.send(controlSuccess(pendingId, replyTo(ask, answer)));
  }

  /** What was sent into the turn and waits is given up with it: who says stop means all of it. */
  async #interrupt(turn: string | undefined): Promise<void> {
    const open = this.#link.state.turn;
    if (open === undefined || (turn !== undefined && turn !== open.id)) return;
    await this.#link.send(controlRequest(this.#nextId(), { subtype: "interrupt", cancel_queued: true }));
  }

  async #setOption({ id, value }: CommandOf<"set_option">): Promise<void> {
    if (id === "model") await this.#request({ subtype: "set_model", model: value });
    else if (id === "mode") await this.#request({ subtype: "set_permission_mode", mode: value });
    else throw new AppError("command.unsupported", `Claude Code has no option ${id}`);
  }

  async #request(request: Json): Promise<Json> {
    const id = this.#nextId();
    const reply = this.#replies.expect(id);
    await this.#link.send(controlRequest(id, request)).catch(() => {}); // the reply fails with the exit, which says why
    const { subtype, response, error } = await reply;
    if (subtype === "success") return objectOf(response);
    throw new AppError("command.unsupported", `${String(request.subtype)}: ${textOf(error) ?? "refused by the agent"}`);
  }

  #received(message: ClaudeMessage): void {
    if (message.type === "control_response") {
      const response = objectOf(message.response);
      this.#replies.settle(textOf(response.request_id) ?? "", response);
    }
    if (message.type === "result") this.#refusal = refusalIn(message);
    if (this.#link.state.turn === undefined) this.#whenIdle?.();
    if (this.#tools?.takes(message)) return;
    const reply = ownReply(message);
    if (reply !== undefined) this.#say(reply);
  }

  #say(message: ClaudeMessage): void {
    this.#link.send(message).catch(() => {}); // the agent is gone: its exit tells
  }

  #gone(exit: string): AppError {
    const why = this.#refusal ?? this.#process.stderrTail();
    const resuming = this.#options.resume !== undefined && this.#refusal !== undefined;
    const code = resuming && this.#link.state.turns === 0 ? "run.not_resumable" : "agent.failed";
    return new AppError(code, `${exit}${why === "" ? "" : `: ${why}`}`);
  }

  #nextId(): string {
    this.#requests += 1;
    return `cox-${this.#requests}`;
  }
}

/** Why the CLI gives up before any turn, as with an unknown conversation. */
function refusalIn(message: ClaudeMessage): string | undefined {
  if (message.is_error !== true || message.num_turns !== 0) return undefined;
  return listOf(message.errors).join("\n") || undefined;
}

/** Requests that need no person: no hook of ours has an opinion, and what we don't know we don't offer. */
function ownReply(message: ClaudeMessage): ClaudeMessage | undefined {
  if (message.type !== "control_request") return undefined;
  const id = textOf(message.request_id) ?? "";
  const subtype = textOf(objectOf(message.request).subtype);
  switch (subtype) {
    case "can_use_tool":
    case "elicitation":
      return undefined; // a person answers
    case "request_user_dialog":
      return undefined; // the CLI forbids an answer to a dialog that was not declared
    case "hook_callback":
      return controlSuccess(id, {});
    default:
      return controlError(id, `${subtype}: not offered by this client`);
  }
}

const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
