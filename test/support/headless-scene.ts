import type { AppError } from "../../src/contract/errors.ts";
import type { AgentEvent, EventOf } from "../../src/contract/events.ts";
import type { Session, Translator } from "../../src/contract/sessions/session.ts";
import { turnWords } from "../../src/core/agents/launch/turn-words.ts";
import type { ProtocolName } from "../../src/core/agents/registry/protocols.ts";
import { flagsOf } from "../../src/core/agents/registry/protocols.ts";
import type { Conversation } from "../../src/core/protocols/headless/conversation.ts";
import type { Dialect } from "../../src/core/protocols/headless/dialect.ts";
import { headlessProtocol } from "../../src/core/protocols/headless/driver.ts";
import type { AgentProcess, Exit, OpenOptions } from "../../src/core/protocols/protocol.ts";
import type { Json } from "../../src/core/protocols/read.ts";
import { Channel } from "../../src/lib/base/channel.ts";
import { FakeClock } from "./fake-clock.ts";
import { EventReader, openOptions } from "./scripted-agent.ts";
import { translateAll } from "./transcript.ts";

/** An agent whose every word and end the test decides. */
export class ScriptedProcess implements AgentProcess {
  readonly output = new Channel<Uint8Array>();
  readonly stopped: number[] = [];
  /** What a TERM does to it; undefined: it stays until told to exit. */
  onStop: Exit | undefined = { code: 143, signal: "SIGTERM" };
  #stderr = "";
  #exit!: (exit: Exit) => void;
  readonly exited = new Promise<Exit>((resolve) => {
    this.#exit = resolve;
  });

  say(...lines: (object | string)[]): void {
    for (const line of lines) {
      this.output.push(Buffer.from(`${typeof line === "string" ? line : JSON.stringify(line)}\n`));
    }
  }
  exit(code: number, stderr = "", signal?: string): void {
    this.#stderr = stderr;
    this.#exit({ code, signal });
    this.output.end();
  }
  write = async () => {};
  end(): void {}
  stderrTail = () => this.#stderr;
  async stop(graceMs: number): Promise<Exit> {
    this.stopped.push(graceMs);
    if (this.onStop !== undefined && !this.output.ended) this.exit(this.onStop.code, "", this.onStop.signal);
    return this.exited;
  }
}

export interface Scene {
  session: Session;
  clock: FakeClock;
  processes: ScriptedProcess[];
  launches: { args?: readonly string[]; stdin?: string }[];
  prompt(text: string): Promise<ScriptedProcess>;
  /** Reads on until an event of the type came; returns everything read. */
  until<T extends AgentEvent["type"]>(type: T): Promise<[...AgentEvent[], EventOf<T>]>;
  rest(): Promise<AgentEvent[]>;
}

export async function openScene<S extends Conversation>(
  dialect: Dialect<S>,
  options: Partial<OpenOptions> = {},
  signal = new AbortController().signal,
): Promise<Scene> {
  const clock = new FakeClock();
  const processes: ScriptedProcess[] = [];
  const launches: Scene["launches"] = [];
  const launch = async (turn: { args?: readonly string[]; stdin?: string } = {}) => {
    launches.push(turn);
    const process = new ScriptedProcess();
    processes.push(process);
    return process;
  };
  const words = turnWords({ ...flagsOf(dialect.name as ProtocolName), prompt: "" });
  const wanted = openOptions({ permissions: "allow", turnWords: words, ...options });
  const session = await headlessProtocol(dialect, clock).open(launch, wanted, signal);
  const reader = new EventReader(session);
  return {
    session,
    clock,
    processes,
    launches,
    async prompt(text) {
      await send(session, text);
      return processes.at(-1) as ScriptedProcess;
    },
    async until(type) {
      const from = reader.seen.length;
      await reader.until(type);
      return reader.seen.slice(from) as never;
    },
    rest: () => reader.rest(),
  };
}

/** Everything that can run without the clock has run. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

export const send = (session: Session, text: string) =>
  session.send({ type: "prompt", promptId: "p", content: [{ type: "text", text }], delivery: "queue" });

export const last = <T>(list: readonly T[]): T => list.at(-1) as T;
export const codeOf = (error: unknown) => (error as AppError).code;

/** gemini, as short as it can be. */
export const init = { type: "init", session_id: "s1", model: "g" };
export const success = { type: "result", status: "success", stats: {} };

/** The events between the turn's start and its end. */
export function eventsWithin<State>(translator: Translator<Json, State>, ...lines: Json[]): AgentEvent[] {
  const events = translateAll(
    translator,
    lines.map((message) => ({ dir: "received", message })),
  );
  const outside = ["turn_started", "session_status", "complete"];
  return events.filter((event) => !outside.includes(event.type));
}
