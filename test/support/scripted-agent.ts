import type { AgentEvent, EventOf } from "../../src/contract/events.ts";
import type { Session } from "../../src/contract/sessions/session.ts";
import type { AgentProcess, Exit, Launch, OpenOptions } from "../../src/core/protocols/protocol.ts";
import { Channel } from "../../src/lib/base/channel.ts";

type Message = Record<string, unknown>;

/** An agent in memory: a script hears every line written to it and says what it likes. */
export class ScriptedAgent implements AgentProcess {
  readonly output = new Channel<Uint8Array>();
  readonly exited: Promise<Exit>;
  readonly heard: Message[] = [];
  readonly #script: (message: Message, agent: ScriptedAgent) => void;
  #resolveExit: (exit: Exit) => void = () => {};
  #waiting: { matches: (message: Message) => boolean; resolve: (message: Message) => void }[] = [];
  #stderr = "";
  gone = false;
  /** What it does when its stdin is closed. */
  onEnd: () => void = () => this.exit(0);
  args: readonly string[] = [];

  constructor(script: (message: Message, agent: ScriptedAgent) => void = () => {}) {
    this.#script = script;
    this.exited = new Promise((resolve) => {
      this.#resolveExit = resolve;
    });
  }

  readonly launch: Launch = async (turn) => {
    this.args = turn?.args ?? [];
    return this;
  };

  say(...messages: object[]): void {
    for (const message of messages) this.output.push(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  exit(code: number, stderr = ""): void {
    this.gone = true;
    this.#stderr = stderr;
    this.output.end();
    this.#resolveExit({ code });
  }

  /** The first line, heard already or yet to come, that matches. */
  async hears(matches: (message: Message) => boolean): Promise<Message> {
    const earlier = this.heard.find(matches);
    return earlier ?? new Promise((resolve) => this.#waiting.push({ matches, resolve }));
  }

  async write(text: string): Promise<void> {
    if (this.gone) throw new Error("write EPIPE");
    const message = JSON.parse(text) as Message;
    this.heard.push(message);
    for (const { resolve } of this.#waiting.filter(({ matches }) => matches(message))) resolve(message);
    this.#waiting = this.#waiting.filter(({ matches }) => !matches(message));
    this.#script(message, this);
  }

  end(): void {
    if (!this.gone) this.onEnd();
  }

  stderrTail(): string {
    return this.#stderr;
  }

  async stop(): Promise<Exit> {
    if (!this.gone) this.exit(143);
    return this.exited;
  }
}

/** Reads a session's events one by one, so that a test waits for events and never for time. */
export class EventReader {
  readonly seen: AgentEvent[] = [];
  readonly #events: AsyncIterator<AgentEvent>;

  constructor(session: Session) {
    this.#events = session.events[Symbol.asyncIterator]();
  }

  async until<T extends AgentEvent["type"]>(type: T): Promise<EventOf<T>> {
    for (;;) {
      const { value, done } = await this.#events.next();
      if (done) throw new Error(`the events ended without ${type}: ${this.types().join(" ")}`);
      this.seen.push(value);
      if (value.type === type) return value as EventOf<T>;
    }
  }

  async rest(): Promise<AgentEvent[]> {
    const from = this.seen.length;
    for (;;) {
      const { value, done } = await this.#events.next();
      if (done) return this.seen.slice(from);
      this.seen.push(value);
    }
  }

  types(): string[] {
    return this.seen.map((event) => event.type);
  }
}

export const openOptions = (options: Partial<OpenOptions> = {}): OpenOptions => ({
  cwd: "/work",
  mcpServers: [],
  config: {},
  permissions: "ask",
  env: {},
  readBlob: async () => Buffer.from("bytes"),
  ...options,
});
