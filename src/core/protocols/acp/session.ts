import type { Answer, Command } from "../../../contract/commands.ts";
import { AppError, messageOf, wrap } from "../../../contract/errors.ts";
import type { Content } from "../../../contract/events.ts";
import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import type { Session } from "../../../contract/sessions/session.ts";
import { VERSION } from "../../../lib/base/version.ts";
import { describeExit, type Link, openLink, unlessPanic } from "../link.ts";
import { serversOf } from "../own-tools/servers.ts";
import type { AgentProcess, OpenOptions, Protocol } from "../protocol.ts";
import { type Json, listOf, objectOf, textOf } from "../read.ts";
import { Replies } from "../replies.ts";
import { elicitationResult, questionsOf } from "./elicitation.ts";
import { type AcpMessage, pendingIdOf } from "./messages.ts";
import { howToSet } from "./options.ts";
import { acpTranslator } from "./translate.ts";

/** The Agent Client Protocol: JSON-RPC, both ways. The translator alone makes events. */
export const acp: Protocol = {
  name: "acp",
  async open(launch, options, signal) {
    const process = await launch();
    const session = new AcpSession(process, options);
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

const PROTOCOL_VERSION = 1;
const METHOD_NOT_FOUND = -32601;
const CLOSE_GRACE_MS = 2000;

class AcpSession implements Session {
  readonly events: Link<AcpMessage>["events"];
  readonly ended: Link<AcpMessage>["ended"];
  readonly #process: AgentProcess;
  readonly #options: OpenOptions;
  readonly #link: Link<AcpMessage>;
  readonly #replies = new Replies<unknown, AcpMessage>();
  /** What the agent asks and nobody has answered yet: its answer in the agent's words; without one, that there will be none. */
  readonly #asked = new Map<string, (answer: Answer | undefined) => Promise<void>>();
  #requests = 0;
  #opened: Json = {};
  #sessionId = "";
  #closedBecause: string | undefined;

  constructor(process: AgentProcess, options: OpenOptions) {
    this.#process = process;
    this.#options = options;
    this.#link = openLink({
      protocol: "acp",
      process,
      translator: acpTranslator,
      received: (message) => this.#received(message),
      closedBecause: () => this.#closedBecause,
    });
    this.events = this.#link.events;
    this.ended = this.#link.ended;
    void this.ended.then((exit) => {
      const tail = this.#process.stderrTail();
      this.#replies.fail(new AppError("agent.failed", `${describeExit(exit)}${tail === "" ? "" : `: ${tail}`}`));
    });
  }

  async start(): Promise<void> {
    const agent = await this.#request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        elicitation: { form: {}, url: {} },
      },
      clientInfo: { name: "coxswain", title: "Coxswain", version: VERSION },
    });
    await this.#openSession(agent);
    const { model } = this.#options;
    if (model === undefined) return;
    await this.#setOption("model", model).catch((error: unknown) => {
      throw new AppError(
        "config.invalid",
        `model ${model}: ${messageOf(error)}`,
        { category: "model" },
        { cause: error },
      );
    });
  }

  async send(command: Command): Promise<void> {
    switch (command.type) {
      case "prompt": {
        if (command.delivery === "steer") throw unsupported("be steered in the middle of a turn");
        const prompt = await Promise.all(command.content.map((part) => contentBlock(part, this.#options)));
        // Its answer ends the turn, and the translator sees it on the wire.
        this.#request("session/prompt", { sessionId: this.#sessionId, prompt }).catch(() => {});
        return;
      }
      case "answer":
        return this.#answer(command.pendingId, command.answer);
      case "interrupt":
        await this.#say({ method: "session/cancel", params: { sessionId: this.#sessionId } });
        await Promise.all([...this.#asked.keys()].map((pendingId) => this.#answer(pendingId, undefined)));
        return;
      case "set_option":
        return this.#setOption(command.id, command.value);
      default:
        throw unsupported(`take the command ${command.type}`);
    }
  }

  async close(reason: string): Promise<void> {
    this.#closedBecause ??= reason;
    this.#process.end();
    await Promise.race([this.#process.exited, new Promise((resolve) => setTimeout(resolve, CLOSE_GRACE_MS).unref())]);
    await this.#process.stop(CLOSE_GRACE_MS);
    await this.ended;
  }

  async #openSession(agent: Json): Promise<void> {
    const { cwd, resume } = this.#options;
    const servers = await serversOf(this.#options, { takesHttp: takesHttp(agent, this.#options) });
    const mcpServers = servers.map(mcpServer);
    const method = resume === undefined ? "session/new" : resumeMethod(agent, resume.fork === true);
    const params = resume === undefined ? { cwd, mcpServers } : { sessionId: resume.sessionId, cwd, mcpServers };
    this.#opened = await this.#request(method, params).catch((error: unknown) => {
      if (rpcCodeOf(error) === -32000) throw notLoggedIn(agent, error);
      const isRefused = resume !== undefined && rpcCodeOf(error) !== undefined;
      throw isRefused ? wrap("resume conversation", new AppError("run.not_resumable", messageOf(error))) : error;
    });
    this.#sessionId = textOf(this.#opened.sessionId) ?? resume?.sessionId ?? "";
  }

  /** Rejects with what killed the agent, if it dies instead of answering. */
  async #request(method: string, params: Json): Promise<Json> {
    const id = this.#requests;
    this.#requests += 1;
    const reply = this.#replies.expect(id);
    await this.#say({ id, method, params }).catch(unlessPanic);
    const { result, error } = await reply.catch((cause: unknown) => {
      throw wrap(method, cause);
    });
    if (error !== undefined && error !== null) throw refused(method, error);
    return objectOf(result);
  }

  #say(message: AcpMessage): Promise<void> {
    return this.#link.send({ jsonrpc: "2.0", ...message });
  }

  #received(message: AcpMessage): void {
    const { method, params = {}, id } = message;
    if (method === "$/cancel_request") void this.#asked.delete(pendingIdOf(params.requestId as AcpMessage["id"]));
    if (id === undefined || id === null) return;
    if (method === undefined) this.#replies.settle(id, message);
    else if (method === "session/request_permission") {
      this.#ask(id, permissionResult);
      if (listOf(params.options).length === 0) void this.#answer(pendingIdOf(id), undefined); // nobody could choose
    } else if (method === "elicitation/create") {
      const { questions } = questionsOf(params);
      this.#ask(id, (answer) => elicitationResult(questions, answer));
    } else {
      const error = { code: METHOD_NOT_FOUND, message: `"${method}": method not found`, data: { method } };
      void this.#say({ id, error }).catch(() => {}); // gone: then nobody waits for it
    }
  }

  #ask(id: string | number, wording: (answer: Answer | undefined) => Json): void {
    this.#asked.set(pendingIdOf(id), (answer) => this.#say({ id, result: wording(answer) }));
  }

  async #answer(pendingId: string, answer: Answer | undefined): Promise<void> {
    const reply = this.#asked.get(pendingId);
    if (reply === undefined) throw new AppError("request.not_found", `request ${pendingId}: not open`);
    this.#asked.delete(pendingId);
    await reply(answer);
  }

  async #setOption(id: string, value: string | boolean): Promise<void> {
    const sessionId = this.#sessionId;
    switch (howToSet(this.#opened, id)) {
      case "config": {
        const type = typeof value === "boolean" ? { type: "boolean" } : {};
        await this.#request("session/set_config_option", { sessionId, configId: id, value, ...type });
        return;
      }
      case "mode":
        await this.#request("session/set_mode", { sessionId, modeId: value });
        return;
      case "model":
        await this.#request("session/set_model", { sessionId, modelId: value });
        return;
      default:
        throw unsupported(`change the option ${id} in a session`);
    }
  }
}

function permissionResult(answer: Answer | undefined): Json {
  if (answer === undefined || !("optionId" in answer)) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: answer.optionId } };
}

const unsupported = (what: string) => new AppError("command.unsupported", `this agent can't ${what}`);

/** What the agent answered instead of a result: its own words, and no defect of ours. */
function refused(method: string, { code: rpcCode, message }: NonNullable<AcpMessage["error"]>): AppError {
  const code = method.startsWith("session/set_") ? "command.unsupported" : "agent.failed";
  return new AppError(code, `${method}: ${textOf(message) ?? "refused by the agent"}`, { rpcCode });
}

const rpcCodeOf = (error: unknown) => (error instanceof AppError ? error.details.rpcCode : undefined);

function resumeMethod(agent: Json, fork: boolean): string {
  const capabilities = objectOf(agent.agentCapabilities);
  const session = objectOf(capabilities.sessionCapabilities);
  if (fork && session.fork !== undefined) return "session/fork";
  if (!fork && session.resume !== undefined) return "session/resume";
  if (!fork && capabilities.loadSession === true) return "session/load";
  throw new AppError("run.not_resumable", `this agent can't ${fork ? "fork" : "resume"} a conversation`);
}

/**
 * An adapter may start another program and hand it the headers as arguments, which every account of the machine can read: so
 * a definition must say that this one doesn't.
 */
function takesHttp(agent: Json, { config }: OpenOptions): boolean {
  const { http } = objectOf(objectOf(agent.agentCapabilities).mcpCapabilities);
  return http === true && config.private_headers === true;
}

function notLoggedIn(agent: Json, cause: unknown): AppError {
  const methods = listOf(agent.authMethods)
    .map((method) => textOf(objectOf(method).description) ?? textOf(objectOf(method).name))
    .filter((name) => name !== undefined);
  const remedy =
    methods.length > 0 ? `; log in first: ${methods.join(", or ")}` : "; log in with the agent's own command";
  return new AppError("agent.not_ready", `the agent is not logged in: ${messageOf(cause)}${remedy}`, {}, { cause });
}

async function contentBlock(part: Content, options: OpenOptions): Promise<Json> {
  if (part.type === "text") return { type: "text", text: part.text };
  const data = Buffer.from(await options.readBlob(part.sha256));
  if (part.type !== "file") return { type: part.type, mimeType: part.mimeType, data: data.toString("base64") };
  const uri = `attachment:///${encodeURIComponent(part.name ?? part.sha256)}`;
  const isText = part.mimeType.startsWith("text/");
  const body = isText ? { text: data.toString("utf8") } : { blob: data.toString("base64") };
  return { type: "resource", resource: { uri, mimeType: part.mimeType, ...body } };
}

function mcpServer({ name, transport }: McpServer): Json {
  const pairs = (record: Record<string, string>) => Object.entries(record).map(([name, value]) => ({ name, value }));
  if (transport.type === "stdio") {
    return { name, command: transport.command, args: transport.args, env: pairs(transport.env) };
  }
  return { type: transport.type, name, url: transport.url, headers: pairs(transport.headers) };
}
