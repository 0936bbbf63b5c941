import type { AgentEvent, RecordedEvent } from "../../../contract/events.ts";
import { noBlock, OUTPUTS_START, scanLine } from "../../../contract/outputs/outputs.ts";
import { type LogReader, openLogReader } from "../../../core/protocols/log-reader.ts";
import { streamProtocolOf } from "../../pod/stream-protocol.ts";
import type { LogLine } from "./pod-log.ts";

/** A pod's log as the events of a run, so that it is shown as any other run is. */
export class LogEvents {
  readonly #reader: LogReader | undefined;
  #block = noBlock();
  /** Lines of a block that has no end yet: it may never have one, and then they are what was said. */
  #held: LogLine[] = [];
  #seq = 0;
  #at = "";

  private constructor(reader: LogReader | undefined) {
    this.#reader = reader;
  }

  /** The agent of an image we know nothing of is quoted line by line. */
  static async open(agentType: string): Promise<LogEvents> {
    const protocol = streamProtocolOf(agentType);
    return new LogEvents(protocol === undefined ? undefined : await openLogReader(protocol));
  }

  prompt(text: string, at: string): RecordedEvent[] {
    this.#at = at;
    return this.#record([
      { type: "user_message", promptId: "task", content: [{ type: "text", text }], delivery: "start" },
    ]);
  }

  read(lines: readonly LogLine[]): RecordedEvent[] {
    return lines.flatMap((line) => {
      const isBlock = this.#block.open !== undefined || line.text === OUTPUTS_START;
      scanLine(this.#block, line.text);
      if (!isBlock) return this.#said(line);
      this.#held = this.#block.open === undefined ? [] : [...this.#held, line];
      return [];
    });
  }

  /** No more will come from this pod. */
  end(reason: string): RecordedEvent[] {
    const held = this.#held.flatMap((line) => this.#said(line));
    this.#held = [];
    this.#block = noBlock();
    return [...held, ...this.#record(this.#reader?.end(reason) ?? [])];
  }

  #said({ at, text }: LogLine): RecordedEvent[] {
    this.#at = at.replaceAll("~", "");
    if (text === undefined) return this.#record([notice("[a line too long to show]")]);
    if (this.#reader === undefined || !text.trimStart().startsWith("{")) {
      return text.trim() === "" ? [] : this.#record([notice(text)]);
    }
    return this.#record(this.#reader.read({ text }));
  }

  #record(events: readonly AgentEvent[]): RecordedEvent[] {
    return events.map((event) => {
      this.#seq += 1;
      return { seq: this.#seq, at: this.#at, ...event };
    });
  }
}

/** What isn't the agent's stream: its stderr, a setup command, an image of somebody else's. */
const notice = (text: string): AgentEvent => ({ type: "notice", code: "log", text });
