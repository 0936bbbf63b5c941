import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Command } from "../../../contract/commands.ts";
import { AppError, messageOf } from "../../../contract/errors.ts";
import type { Content } from "../../../contract/events.ts";
import type { Session } from "../../../contract/sessions/session.ts";
import { onlyWords } from "../../../contract/words/content.ts";
import { type Clock, systemClock } from "../../../lib/base/clock.ts";
import { VERSION } from "../../../lib/base/version.ts";
import { endGently } from "../end-gently.ts";
import { describeExit, type Link, openLink } from "../link.ts";
import { PendingRequests } from "../pending-requests.ts";
import type { AgentProcess, OpenOptions, Protocol } from "../protocol.ts";
import { askOf, replyTo } from "./asks.ts";
import { McpConfig, type McpMessage } from "./messages.ts";
import { type McpState, mcpTranslator, pendingIdOf } from "./translate.ts";

/** An agent that is an MCP server: a turn is a call of its tool. The SDK pairs requests and answers, the translator makes events. */
export function mcpProtocol(clock: Clock = systemClock): Protocol {
  return {
    name: "mcp",
    async open(launch, options, signal) {
      const config = configOf(options);
      const process = await launch();
      const session = new McpSession(process, options, config, clock);
      const abort = () => void process.stop(0);
      signal.addEventListener("abort", abort, { once: true });
      void session.ended.then(() => signal.removeEventListener("abort", abort));
      try {
        await session.start();
        return session;
      } catch (error) {
        await process.stop(0);
        await session.ended;
        signal.throwIfAborted();
        throw error;
      }
    },
  };
}

function configOf({ config, resume }: OpenOptions): McpConfig {
  const parsed = McpConfig.safeParse(config);
  if (!parsed.success) {
    throw new AppError("config.invalid", `protocol_config of this MCP agent: ${z.prettifyError(parsed.error)}`);
  }
  if (resume !== undefined && (parsed.data.reply_tool === undefined || resume.fork)) {
    throw new AppError("run.not_resumable", `this agent can't ${resume.fork ? "fork" : "resume"} a conversation`);
  }
  return parsed.data;
}

class McpSession implements Session {
  readonly events: Link<McpMessage>["events"];
  readonly ended: Link<McpMessage>["ended"];
  readonly #process: AgentProcess;
  readonly #options: OpenOptions;
  readonly #config: McpConfig;
  readonly #clock: Clock;
  readonly #link: Link<McpMessage, McpState>;
  readonly #transport: Transport;
  readonly #pending = new PendingRequests();
  #client: Client | undefined;
  #cancel: AbortController | undefined;
  /** Resolves the prompt's `send` once the call is on its way. */
  #told: () => void = () => {};
  #closedBecause: string | undefined;

  constructor(process: AgentProcess, options: OpenOptions, config: McpConfig, clock: Clock) {
    this.#process = process;
    this.#options = options;
    this.#config = config;
    this.#clock = clock;
    this.#link = openLink({
      protocol: "mcp",
      process,
      translator: mcpTranslator,
      received: (message) => this.#received(message),
      closedBecause: () => this.#closedBecause,
    });
    this.#transport = {
      start: async () => {},
      close: async () => this.#transport.onclose?.(),
      send: async (message) => {
        const sending = this.#link.send(message);
        if ("method" in message && message.method === "tools/call") this.#told();
        await sending;
      },
    };
    this.events = this.#link.events;
    this.ended = this.#link.ended;
    void this.ended.then(() => this.#transport.onclose?.());
  }

  async start(): Promise<void> {
    const { Client } = await import("@modelcontextprotocol/client");
    const info = { name: "coxswain", version: VERSION };
    const client = new Client(info, { capabilities: { elicitation: { form: {}, url: {} } } });
    // Not the handler for elicitations: it drops the fields that MCP doesn't know, and codex lives by them.
    client.fallbackRequestHandler = async ({ id, method }) => {
      const reply = this.#pending.reply(pendingIdOf(id));
      if (reply === undefined)
        throw Object.assign(new Error(`${method}: not offered by this client`), { code: -32601 });
      return reply;
    };
    this.#client = client;
    await this.#unlessGone("initialize", client.connect(this.#transport));
    const { tools } = await this.#unlessGone("list its tools", client.listTools());
    const offered = tools.map(({ name }) => name);
    const missing = [this.#config.tool, this.#config.reply_tool].find(
      (name) => name !== undefined && !offered.includes(name),
    );
    if (missing === undefined) return;
    throw new AppError(
      "config.invalid",
      `this MCP agent has no tool ${missing}; it offers ${offered.join(", ") || "none"}`,
    );
  }

  async send(command: Command): Promise<void> {
    switch (command.type) {
      case "prompt":
        return this.#prompt(command.content);
      case "answer":
        return this.#pending.answer(command.pendingId, command.answer);
      case "interrupt":
        if (command.turn === undefined || command.turn === this.#link.state.open.turn) this.#interrupt();
        return;
      default:
        throw unsupported(`take the command ${command.type}`);
    }
  }

  async close(reason: string): Promise<void> {
    this.#closedBecause ??= reason;
    this.#interrupt();
    await endGently(this.#process, this.ended, this.#clock);
  }

  async #prompt(content: readonly Content[]): Promise<void> {
    const client = this.#client;
    if (client === undefined || this.#closedBecause !== undefined)
      throw unsupported("take a prompt: the session is closed");
    if (this.#link.state.open.turn !== undefined) throw unsupported("take a prompt while a turn runs");
    const params = this.#call(onlyWords(content, (what) => unsupported(`take a prompt with ${what}`)));
    const cancel = new AbortController();
    this.#cancel = cancel;
    const told = new Promise<void>((resolve) => {
      this.#told = resolve;
    });
    // Its answer ends the turn, and the translator sees it on the wire; the run has its own time limit.
    const call = client.request(
      { method: "tools/call", params },
      { signal: cancel.signal, timeout: NO_TIMEOUT_MS, onprogress: () => {} },
    );
    await Promise.race([told, call]);
    call.catch(() => {});
  }

  #call(prompt: string): { name: string; arguments: Record<string, unknown> } {
    const { tool, reply_tool, reply_argument, prompt_argument } = this.#config;
    const resume = this.#link.state.sessionId ?? this.#options.resume?.sessionId;
    if (reply_tool === undefined || resume === undefined) {
      return { name: tool, arguments: { ...this.#config.arguments, [prompt_argument]: prompt } };
    }
    return { name: reply_tool, arguments: { [prompt_argument]: prompt, [reply_argument]: resume } };
  }

  #interrupt(): void {
    this.#pending.cancelAll();
    this.#cancel?.abort("interrupted");
  }

  #received(message: McpMessage): void {
    const { id, method, params = {} } = message;
    if (id !== undefined && method === "elicitation/create") {
      const ask = askOf(params);
      this.#pending.open(pendingIdOf(id), (answer) => replyTo(ask, answer));
    }
    this.#transport.onmessage?.(message as JSONRPCMessage);
  }

  /** Rejects with what ended the agent, if it ends instead of answering. */
  async #unlessGone<T>(what: string, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof AppError) throw error;
      const exit = await Promise.race([this.ended, Promise.resolve(undefined)]);
      const tail = exit === undefined ? "" : this.#process.stderrTail();
      const cause = exit === undefined ? messageOf(error) : describeExit(exit);
      throw new AppError("agent.failed", `${what}: ${cause}${tail === "" ? "" : `: ${tail}`}`, {}, { cause: error });
    }
  }
}

const unsupported = (what: string) => new AppError("command.unsupported", `this agent can't ${what}`);

/** As far as timers reach. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
