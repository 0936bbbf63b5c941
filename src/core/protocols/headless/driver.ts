import { randomUUID } from "node:crypto";
import type { Command } from "../../../contract/commands.ts";
import { AppError, messageOf } from "../../../contract/errors.ts";
import type { AgentEvent, Content } from "../../../contract/events.ts";
import type { Session } from "../../../contract/sessions/session.ts";
import { onlyWords } from "../../../contract/words/content.ts";
import { Channel } from "../../../lib/base/channel.ts";
import { type Clock, systemClock } from "../../../lib/base/clock.ts";
import { type Line, linesOf } from "../../../lib/text/lines.ts";
import { errorEvent } from "../category.ts";
import { describeExit, parseLine } from "../link.ts";
import type { AgentProcess, Exit, Launch, OpenOptions, Protocol } from "../protocol.ts";
import { type Json, numberOf } from "../read.ts";
import { within } from "../within.ts";
import type { Conversation, Ours, Resume } from "./conversation.ts";
import type { Dialect, ExitTrouble } from "./dialect.ts";
import { Documents } from "./documents.ts";
import { Patience } from "./patience.ts";

/** A process per turn: nothing runs between turns, and the CLI's own resume flag ties them together. */
export function headlessProtocol<State extends Conversation>(dialect: Dialect<State>, clock = systemClock): Protocol {
  return {
    name: dialect.name,
    async open(launch, options, signal) {
      signal.throwIfAborted();
      if (options.resume?.fork && options.turnWords?.fork === undefined) {
        const message = `${dialect.name} can't fork a conversation (no session_config.fork_flag); resume it instead`;
        throw new AppError("run.not_resumable", message);
      }
      const session = new HeadlessSession(dialect, launch, options, clock);
      signal.addEventListener("abort", () => void session.close(messageOf(signal.reason)), { once: true });
      return session;
    },
  };
}

interface Running {
  process: AgentProcess;
  /** After its last line was translated and its turn closed. */
  ended: Promise<void>;
}

class HeadlessSession<State extends Conversation> implements Session {
  readonly events = new Channel<AgentEvent>();
  readonly #dialect: Dialect<State>;
  readonly #launch: Launch;
  readonly #options: OpenOptions;
  readonly #clock: Clock;
  #state: State;
  #model: string | undefined;
  #starting: Promise<void> | undefined;
  #running: Running | undefined;
  /** An error was told in this turn, so its process needs no explaining. */
  #explained = false;
  /** Why we stopped waiting for this turn's process. */
  #gaveUp: string | undefined;
  #isClosed = false;

  constructor(dialect: Dialect<State>, launch: Launch, options: OpenOptions, clock: Clock) {
    this.#dialect = dialect;
    this.#launch = launch;
    this.#options = options;
    this.#clock = clock;
    this.#state = dialect.translator.initial();
    this.#model = options.model;
    // It names no conversation of its own, and a later run must be able to say which one it goes on with.
    if (dialect.isPlain)
      this.events.push({ type: "session_status", status: "new", sessionId: randomUUID(), can: ["interrupt"] });
    if (options.permissions === "ask") this.#notice("never_asks", dialect.neverAsks);
    if (options.mcpServers.length > 0 && dialect.mcpArguments === undefined) {
      const names = options.mcpServers.map((server) => server.name).join(", ");
      this.#notice(
        "mcp_ignored",
        `${dialect.name} reads MCP servers from its own settings alone; not passed on: ${names}`,
      );
    }
    if (this.#model === undefined) return;
    if (options.turnWords?.model === undefined) this.#notice("model_ignored", `model ${this.#model}: ${NO_MODEL_FLAG}`);
    else this.#tellModel(this.#model);
  }

  async send(command: Command): Promise<void> {
    switch (command.type) {
      case "prompt":
        return this.#prompt(command.content);
      case "interrupt":
        return this.#interrupt(command.turn);
      case "set_option":
        if (command.id !== "model" || typeof command.value !== "string") throw this.#unsupported(`set ${command.id}`);
        if (this.#options.turnWords?.model === undefined) throw this.#unsupported(`set model: ${NO_MODEL_FLAG}`);
        this.#options.turnWords.model(command.value); // throws what the next turn would
        this.#model = command.value;
        this.#tellModel(command.value);
        return;
      default:
        throw this.#unsupported(`take the command ${command.type}`);
    }
  }

  async close(reason: string): Promise<void> {
    this.#isClosed = true;
    await this.#starting?.catch(() => {});
    const running = this.#running;
    if (running !== undefined) {
      if (this.#state.open.turn !== undefined) {
        this.#ours({ type: "interrupt", reason });
      } else {
        await this.#leave(running); // it may be writing its history
      }
      await running.process.stop(GRACE_MS);
      await running.ended;
    }
    this.events.end();
  }

  async #prompt(content: readonly Content[]): Promise<void> {
    if (this.#isClosed) throw this.#unsupported("take a prompt: the session is closed");
    if (
      this.#starting !== undefined ||
      (this.#state.open.turn !== undefined && this.#state.interrupted === undefined)
    ) {
      throw this.#unsupported("take a prompt while a turn runs");
    }
    const prompt = onlyWords(content, (what) => this.#unsupported(`take a prompt with ${what}`));
    this.#starting = this.#start(prompt).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(prompt: string): Promise<void> {
    const last = this.#running;
    if (last !== undefined) await this.#leave(last);
    const resume = this.#goesOnWith();
    const process = await this.#launch(this.#words(prompt, resume));
    this.#explained = false;
    this.#gaveUp = undefined;
    this.#ours({ type: "turn", resume });
    this.#running = { process, ended: this.#follow(process, resume) };
  }

  /** Nothing where nobody can be told: then whoever holds the conversation tells it again. */
  #goesOnWith(): Resume | undefined {
    const { sessionId } = this.#state;
    const resume: Resume | undefined = sessionId === undefined ? this.#options.resume : { sessionId };
    const { turnWords } = this.#options;
    return (resume?.fork ? turnWords?.fork : turnWords?.resume) === undefined ? undefined : resume;
  }

  /** What follows the definition's own command, in the definition's own words. */
  #words(prompt: string, resume: Resume | undefined): { args: string[]; stdin: string } {
    const { turnWords = {}, mcpServers } = this.#options;
    const goOn = resume?.fork ? turnWords.fork : turnWords.resume;
    const asArgument = turnWords.prompt?.(prompt);
    const args = [
      ...(this.#model === undefined ? [] : (turnWords.model?.(this.#model) ?? [])),
      ...mcpServers.flatMap((server) => this.#dialect.mcpArguments?.(server) ?? []),
      ...(resume === undefined ? [] : (goOn?.(resume.sessionId) ?? [])),
      ...(asArgument ?? this.#dialect.promptArguments),
    ];
    return { args, stdin: asArgument === undefined ? prompt : "" };
  }

  async #follow(process: AgentProcess, resume: Resume | undefined): Promise<void> {
    const limitMs = numberOf(this.#options.config.network_deadline_ms) ?? NETWORK_DEADLINE_MS;
    const patience = new Patience(this.#clock, limitMs, (waitedMs) => this.#giveUp(process, waitedMs));
    try {
      patience.observe(this.#dialect.waiting(this.#state));
      const documents = new Documents();
      for await (const lines of linesOf(process.output)) {
        for (const line of lines) {
          for (const whole of this.#dialect.isPlain ? [line] : documents.take(line)) this.#receive(whole);
          patience.observe(this.#dialect.waiting(this.#state));
        }
      }
      for (const whole of documents.end()) this.#receive(whole);
      this.#exited(await process.exited, process.stderrTail(), resume);
    } catch (error) {
      // The translator threw: this conversation ends, nothing else does.
      this.#isClosed = true;
      this.events.fail(new AppError("internal", `agent panic: ${messageOf(error)}`, {}, { cause: error }));
      await process.stop(0);
    } finally {
      patience.end();
      this.#running = undefined;
    }
  }

  #receive(line: Line): void {
    if (this.#dialect.isPlain && "text" in line) return this.#step("received", line);
    const parsed = parseLine<Json>(this.#dialect.name, line);
    if ("message" in parsed) this.#step("received", parsed.message);
    else if (parsed.unmapped !== undefined) this.events.push(parsed.unmapped);
  }

  #ours(message: Ours): void {
    this.#step("sent", message);
  }

  #step(dir: "sent" | "received", message: Json): void {
    const [next, events] = this.#dialect.translator.step(this.#state, { dir, message });
    this.#state = next;
    for (const event of events) {
      if (event.type === "error") this.#explained = true;
      this.events.push(this.#withAbilities(event));
    }
  }

  /** What the program can do, it can do for us only where its definition says how. */
  #withAbilities(event: AgentEvent): AgentEvent {
    if (event.type !== "session_status" || !("can" in event) || event.can === undefined) return event;
    const { resume, fork } = this.#options.turnWords ?? {};
    const words = new Map<string, unknown>([
      ["resume", resume],
      ["fork", fork],
    ]);
    return { ...event, can: event.can.filter((ability) => !words.has(ability) || words.get(ability) !== undefined) };
  }

  /** A turn that the stream didn't end is ended here, with whatever the exit tells about the cause. */
  #exited(exit: Exit, stderr: string, resume: Resume | undefined): void {
    const { turn } = this.#state.open;
    if (turn === undefined) return;
    if (this.#gaveUp !== undefined) return this.#ours({ type: "exit", reason: this.#gaveUp });
    if (exit.code === 0 && exit.signal === undefined) return this.#ours({ type: "exit" });
    const known = this.#dialect.explainExit(exit, stderr, resume);
    if (!this.#explained && this.#state.interrupted === undefined)
      this.events.push(explanation(turn, exit, stderr, known));
    this.#ours({ type: "exit", reason: known?.message ?? describeExit(exit) });
  }

  #giveUp(process: AgentProcess, waitedMs: number): void {
    if (this.#gaveUp !== undefined) return;
    const message = `no usable answer from the model's server for ${Math.round(waitedMs / 1000)} s; ${this.#dialect.name} would wait for ever`;
    this.#gaveUp = message;
    this.events.push(errorEvent({ turn: this.#state.open.turn, category: "network", message }));
    void process.stop(GRACE_MS);
  }

  async #interrupt(turn: string | undefined): Promise<void> {
    await this.#starting?.catch(() => {});
    const open = this.#state.open.turn;
    if (this.#running === undefined || open === undefined || (turn !== undefined && turn !== open)) return;
    this.#ours({ type: "interrupt", reason: "interrupted" });
    // Not SIGINT: measured, no CLI says or saves more on it, and stop() reaches the tools they started.
    await this.#running.process.stop(GRACE_MS);
  }

  /** A turn is complete before its process has exited; one that doesn't exit is not waited for forever. */
  async #leave({ process, ended }: Running): Promise<void> {
    await within(this.#clock, LINGER_MS, ended);
    await process.stop(GRACE_MS);
    await ended;
  }

  #tellModel(value: string): void {
    this.events.push({ type: "config_options", options: [{ id: "model", name: "Model", category: "model", value }] });
  }

  #notice(code: string, text: string): void {
    this.events.push({ type: "notice", code, text });
  }

  #unsupported(what: string): AppError {
    return new AppError("command.unsupported", `${this.#dialect.name} can't ${what}`);
  }
}

function explanation(turn: string, exit: Exit, stderr: string, known: ExitTrouble | undefined): AgentEvent {
  const { remedy, ...trouble } = known ?? { category: "process", message: describeExit(exit), remedy: undefined };
  const event = errorEvent({ turn, ...trouble, stderrTail: stderr || undefined });
  return remedy === undefined ? event : { ...event, remedy };
}

const NO_MODEL_FLAG = "its definition doesn't say how to name one (model_flag)";
const NETWORK_DEADLINE_MS = 60_000;
/** Less than people wait for an interrupt. */
const GRACE_MS = 2_000;
const LINGER_MS = 10_000;
