import { closeSync, fstatSync } from "node:fs";
import type { AgentEvent } from "../../../contract/events.ts";
import { appendFramed, openJournal, readLastRecords } from "../../../lib/files/journal-line.ts";

/** The events of one run. `seq` is dense from 1 and recovered from the file, never from memory alone. */
export class EventLog {
  readonly #path: string;
  readonly #fd: number;
  #seq: number;
  #session = { id: "", field: "" };

  constructor(path: string) {
    this.#path = path;
    this.#fd = openJournal(path);
    this.#seq = fstatSync(this.#fd).size === 0 ? 0 : lastSeq(path);
  }

  get seq(): number {
    return this.#seq;
  }

  /**
   * On disk when it returns, all in one write. Returns the number of the first. `sessions`: the conversation of each event that
   * doesn't say it itself.
   */
  append(events: readonly AgentEvent[], at: string, sessions: readonly (string | undefined)[] = []): number {
    const first = this.#seq + 1;
    let text = "";
    // The newlines of the journal are put here: JSON has none of its own, so nobody need look for them.
    for (const [i, event] of events.entries()) {
      text += `\n{"seq":${first + i},"at":"${at}",${encode(event).slice(1, -1)}${this.#inSession(sessions[i])}}\n`;
    }
    if (text !== "") appendFramed(this.#fd, Buffer.from(text), this.#path);
    this.#seq += events.length;
    return first;
  }

  #inSession(id: string | undefined): string {
    if (id === undefined) return "";
    if (id !== this.#session.id) this.#session = { id, field: `,"sessionId":${JSON.stringify(id)}` };
    return this.#session.field;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** An agent may send JSON so deep that it can be read but not written again. */
function encode(event: AgentEvent): string {
  try {
    return JSON.stringify(event);
  } catch {
    const { type } = event;
    const text = `an event of type ${type} could not be written: it is nested too deep`;
    return JSON.stringify({ type: "notice", code: "unwritable_event", text } satisfies AgentEvent);
  }
}

function lastSeq(path: string): number {
  const [last] = readLastRecords(path, 1).records;
  return typeof last?.value.seq === "number" ? last.value.seq : 0;
}
