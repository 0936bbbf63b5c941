import { AppError, messageOf } from "../../contract/errors.ts";
import type { AgentEvent } from "../../contract/events.ts";
import type { Translator } from "../../contract/sessions/session.ts";
import { Channel } from "../../lib/base/channel.ts";
import { type Line, linesOf } from "../../lib/text/lines.ts";
import type { AgentProcess, Exit } from "./protocol.ts";

/**
 * One agent process, one translator: every line in both directions passes through the translator, and what it yields is
 * the session's events. A protocol adds only what it has to say and whom it waits for.
 */
export interface Link<Message, State = unknown> {
  readonly events: AsyncIterable<AgentEvent>;
  /** What the translator knows by now: the open turn, the open requests. So a protocol keeps no second account of it. */
  readonly state: State;
  /** Translates, then writes. */
  send(message: Message): Promise<void>;
  /** An event the wire doesn't carry (an `fs/*` request refused, a deadline of ours). */
  emit(event: AgentEvent): void;
  /** Resolves after the agent has exited, its last line was translated and the open turn was closed. */
  readonly ended: Promise<Exit>;
}

export interface LinkOptions<Message, State> {
  protocol: string;
  process: AgentProcess;
  translator: Translator<Message, State>;
  /** Called for every received message, after its events were emitted. */
  received?: (message: Message) => void;
  /** Why the conversation ends, if we ended it; else the exit explains it. */
  closedBecause?: () => string | undefined;
}

export function openLink<Message, State>(options: LinkOptions<Message, State>): Link<Message, State> {
  const { protocol, process, translator } = options;
  const events = new Channel<AgentEvent>();
  let state = translator.initial();

  const step = (dir: "sent" | "received", message: Message) => {
    const [next, out] = translator.step(state, { dir, message });
    state = next;
    for (const event of out) events.push(event);
  };

  const receive = (line: Line) => {
    const parsed = parseLine<Message>(protocol, line);
    if ("unmapped" in parsed) return parsed.unmapped && events.push(parsed.unmapped);
    step("received", parsed.message);
    options.received?.(parsed.message);
  };

  const drain = async (): Promise<Exit> => {
    try {
      for await (const lines of linesOf(process.output)) for (const line of lines) receive(line);
      const exit = await process.exited;
      const ours = options.closedBecause?.();
      const reason = ours ?? describeExit(exit);
      if (ours === undefined && exit.code !== 0) events.push(crashed(exit, process.stderrTail()));
      for (const event of translator.finish(state, reason)) events.push(event);
      events.end();
      return exit;
    } catch (error) {
      events.fail(panicOf(error));
      return process.stop(0);
    }
  };

  return {
    events,
    get state() {
      return state;
    },
    ended: drain(),
    emit: (event) => events.push(event),
    async send(message) {
      try {
        step("sent", message);
      } catch (error) {
        const panic = panicOf(error);
        events.fail(panic);
        void process.stop(0);
        throw panic;
      }
      await process.write(`${JSON.stringify(message)}\n`);
    },
  };
}

/** The translator or a callback threw: this run ends, nothing else does. */
const panicOf = (cause: unknown) => new AppError("internal", `agent panic: ${messageOf(cause)}`, {}, { cause });

/** For whoever waits for a reply: one that could not be sent fails with the exit, which says why, unless we are to blame. */
export function unlessPanic(error: unknown): void {
  if (error instanceof AppError && error.code === "internal") throw error;
}

export type ParsedLine<Message> = { message: Message } | { unmapped: AgentEvent | undefined };

/** A blank line is no event; anything else that isn't a JSON object is counted, never dropped silently. */
export function parseLine<Message>(protocol: string, line: Line): ParsedLine<Message> {
  if ("oversized" in line) {
    return { unmapped: { type: "unmapped", protocol, why: "oversized", bytes: line.oversized } };
  }
  const text = line.text.charCodeAt(0) === 0xfeff ? line.text.slice(1) : line.text;
  if (text.trim() === "") return { unmapped: undefined };
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message === "object" && message !== null && !Array.isArray(message))
      return { message: message as Message };
  } catch {
    // falls through: noise between JSON lines is common (warnings of npm, of Node)
  }
  const raw = text.slice(0, 500);
  return { unmapped: { type: "unmapped", protocol, why: "unparsed", bytes: Buffer.byteLength(text), raw } };
}

/** Said before the turn is closed, so that whoever reads the end of a log finds the cause just above it. */
export function crashed(exit: Exit, stderrTail: string): AgentEvent {
  const message = describeExit(exit);
  return { type: "error", category: "process", message, retryable: false, stderrTail: stderrTail || undefined };
}

export function describeExit(exit: Exit): string {
  if (exit.reason !== undefined) return exit.reason;
  return exit.signal ? `the agent was ended by ${exit.signal}` : `the agent exited with code ${exit.code}`;
}
