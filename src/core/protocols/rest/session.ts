import type { Command } from "../../../contract/commands.ts";
import { AppError, messageOf } from "../../../contract/errors.ts";
import type { AgentEvent, Content } from "../../../contract/events.ts";
import type { Session } from "../../../contract/sessions/session.ts";
import { backoffMs } from "../../../lib/base/backoff.ts";
import { Channel } from "../../../lib/base/channel.ts";
import { type Clock, systemClock } from "../../../lib/base/clock.ts";
import { randomUUID } from "../../../lib/base/crypto.ts";
import { errorEvent } from "../category.ts";
import { parseLine } from "../link.ts";
import type { OpenOptions, Protocol } from "../protocol.ts";
import type { Json } from "../read.ts";
import { type ChatMessage, exchange, type Part } from "./exchange.ts";
import { type Failure, LimitReached } from "./failure.ts";
import { DONE, type RestSent } from "./messages.ts";
import { type Endpoint, endpointOf } from "./providers.ts";
import type { SseItem } from "./sse.ts";
import { type RestState, restTranslator } from "./translate.ts";

export function restProtocol(clock: Clock = systemClock, random: () => number = Math.random): Protocol {
  return {
    name: "rest",
    open: async (_launch, options, signal) => {
      const { write = () => {} } = options;
      return openRest({ ...options, write }, signal, clock, random);
    },
  };
}

type RestOptions = OpenOptions & Required<Pick<OpenOptions, "write">>;

/** A model's API as an agent: it has no tools and no process, and it remembers only what we send it again. */
export async function openRest(
  options: RestOptions,
  signal: AbortSignal,
  clock: Clock = systemClock,
  random: () => number = Math.random,
): Promise<Session> {
  signal.throwIfAborted();
  if (options.resume !== undefined) {
    throw new AppError("run.not_resumable", "a conversation with a model's API ends with its run; start a new one");
  }
  const session = new RestSession(endpointOf(options.config, options.env, options.model), options, clock, random);
  signal.addEventListener("abort", () => void session.close(messageOf(signal.reason)), { once: true });
  return session;
}

class RestSession implements Session {
  readonly events = new Channel<AgentEvent>();
  readonly #options: RestOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #history: ChatMessage[] = [];
  #endpoint: Endpoint;
  #state: RestState = restTranslator.initial();
  #running: { cancel: AbortController; ended: Promise<void> } | undefined;
  #isClosed = false;

  constructor(endpoint: Endpoint, options: RestOptions, clock: Clock, random: () => number) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.events.push({ type: "session_status", status: "new", sessionId: randomUUID(), can: ["interrupt", "images"] });
    this.#tellModel();
    if (options.mcpServers.length > 0) {
      this.events.push({
        type: "notice",
        code: "mcp_ignored",
        text: "a model's API runs no tools: MCP servers aren't used",
      });
    }
  }

  async send(command: Command): Promise<void> {
    switch (command.type) {
      case "prompt":
        return this.#prompt(command.content);
      case "interrupt": {
        const isOther = command.turn !== undefined && command.turn !== this.#state.open.turn;
        if (!isOther) this.#running?.cancel.abort("interrupted");
        return;
      }
      case "set_option":
        if (command.id !== "model" || typeof command.value !== "string") throw unsupported(`set ${command.id}`);
        this.#endpoint = { ...this.#endpoint, model: command.value };
        return this.#tellModel();
      default:
        throw unsupported(`take the command ${command.type}`);
    }
  }

  async close(reason: string): Promise<void> {
    this.#isClosed = true;
    this.#running?.cancel.abort(reason);
    await this.#running?.ended;
    this.events.end();
  }

  async #prompt(content: readonly Content[]): Promise<void> {
    const parts = await Promise.all(content.map((part) => this.#part(part)));
    const isBusy = this.#state.open.turn !== undefined && this.#running?.cancel.signal.aborted !== true;
    if (isBusy) throw unsupported("take a prompt while a turn runs");
    await this.#running?.ended; // its turn is complete, its connection not yet closed
    if (this.#isClosed) throw unsupported("take a prompt: the session is closed");
    const cancel = new AbortController();
    this.#step("sent", { type: "request", model: this.#endpoint.model } satisfies RestSent);
    this.#running = { cancel, ended: this.#turn({ role: "user", content: plain(parts) }, cancel) };
  }

  async #turn(prompt: ChatMessage, cancel: AbortController): Promise<void> {
    const { total } = this.#endpoint.limits;
    const disarm = this.#clock.after(total, () => cancel.abort(new LimitReached("total", total)));
    try {
      const failure = await this.#ask([...this.#history, prompt], cancel);
      // A prompt without any answer is forgotten: two of the same role in a row are refused by some servers.
      this.#end(failure, cancel.signal);
      const { answer } = this.#state;
      if (answer !== "") this.#history.push(prompt, { role: "assistant", content: answer });
    } catch (error) {
      this.#isClosed = true;
      this.events.fail(new AppError("internal", `agent panic: ${messageOf(error)}`, {}, { cause: error }));
    } finally {
      disarm();
      this.#running = undefined;
    }
  }

  /** Asks until the server answers or there is no sense in asking again. */
  async #ask(messages: readonly ChatMessage[], cancel: AbortController): Promise<Failure | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = exchange(this.#endpoint, messages, this.#clock, cancel);
      let next = await answer.next();
      for (; !next.done; next = await answer.next()) {
        this.#receive(next.value);
        if (this.#state.open.turn === undefined) await answer.return(undefined); // whatever follows the end is not waited for
      }
      const failure = next.value;
      if (failure === undefined || cancel.signal.aborted) return failure;
      if (failure.category === "rate_limit") this.#tellLimit(failure);
      const waitMs = failure.retryAfterMs ?? backoffMs(attempt, BACKOFF, this.#random);
      // Longer than that is for the host to decide, which can park the run until the limit resets.
      if (!failure.isTransient || attempt === ATTEMPTS || waitMs > LONGEST_WAIT_MS) return failure;
      this.#retrying(failure, attempt, waitMs);
      await this.#clock.sleep(waitMs, cancel.signal);
      if (cancel.signal.aborted) return failure;
    }
  }

  #receive(item: SseItem): void {
    if ("oversized" in item) {
      this.events.push({ type: "unmapped", protocol: "rest", why: "oversized", bytes: item.oversized });
    } else if (item.data.trim() === "[DONE]") {
      this.#step("received", DONE);
    } else {
      const parsed = parseLine<Json>("rest", { text: item.data });
      if ("message" in parsed) this.#step("received", parsed.message);
      else if (parsed.unmapped !== undefined) this.events.push(parsed.unmapped);
    }
  }

  #step(dir: "sent" | "received", message: Json): void {
    const [next, events] = restTranslator.step(this.#state, { dir, message });
    this.#state = next;
    for (const event of events) {
      if (event.type === "message_chunk") this.#options.write(event.text);
      if (event.type === "complete" && this.#state.answer !== "") this.#options.write("\n");
      this.events.push(event);
    }
  }

  #end(failure: Failure | undefined, { aborted, reason }: AbortSignal): void {
    if (aborted && typeof reason === "string") {
      return this.#step("sent", { type: "end", interrupted: reason } satisfies RestSent);
    }
    const { turn } = this.#state.open;
    if (failure === undefined) return this.#step("sent", { type: "end" } satisfies RestSent);
    const { message, category, httpStatus } = failure;
    this.#options.write(`${message}\n`, "stderr");
    this.#step("sent", {
      type: "end",
      failure: errorEvent({ turn, message, category, httpStatus }),
    } satisfies RestSent);
  }

  #retrying(failure: Failure, attempt: number, waitMs: number): void {
    const { turn } = this.#state.open;
    const text = `${failure.message}; attempt ${attempt + 1} of ${ATTEMPTS} in ${Math.round(waitMs / 100) / 10} s`;
    this.events.push({
      type: "notice",
      turn,
      code: "retrying",
      text,
      data: { attempt, waitMs, httpStatus: failure.httpStatus },
    });
  }

  #tellLimit({ retryAfterMs }: Failure): void {
    const resetsAt = retryAfterMs === undefined ? undefined : new Date(this.#clock.now() + retryAfterMs).toISOString();
    this.events.push({ type: "rate_limit", status: "limited", resetsAt });
  }

  #tellModel(): void {
    const { model } = this.#endpoint;
    this.events.push({
      type: "config_options",
      options: [{ id: "model", name: "Model", category: "model", value: model }],
    });
  }

  async #part(part: Content): Promise<Part> {
    if (part.type === "text") return { type: "text", text: part.text };
    if (part.type !== "image") throw unsupported(`take a prompt with ${part.name ?? `an attached ${part.type}`}`);
    const bytes = Buffer.from(await this.#options.readBlob(part.sha256));
    return { type: "image_url", image_url: { url: `data:${part.mimeType};base64,${bytes.toString("base64")}` } };
  }
}

/** Plain text as a plain string: not every server knows parts. */
function plain(parts: readonly Part[]): ChatMessage["content"] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n\n") : parts;
}

const unsupported = (what: string) => new AppError("command.unsupported", `a model's API can't ${what}`);

const ATTEMPTS = 5;
const BACKOFF = { base: 1_000, factor: 2, cap: 32_000 };
const LONGEST_WAIT_MS = 120_000;
