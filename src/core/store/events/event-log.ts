import { closeSync } from "node:fs";
import type { AgentEvent } from "../../../contract/events.ts";
import { appendFramed, openJournal, readLastRecords } from "../../../lib/files/journal-line.ts";

/** The events of one run. `seq` is dense from 1 and recovered from the file, never from memory alone. */
export class EventLog {
  readonly #path: string;
  readonly #fd: number;
  #seq: number;

  constructor(path: string) {
    this.#path = path;
    this.#seq = lastSeq(path);
    this.#fd = openJournal(path);
  }

  get seq(): number {
    return this.#seq;
  }

  /** On disk when it returns, all in one write. Returns the number of the first. */
  append(events: readonly AgentEvent[], at: string): number {
    const first = this.#seq + 1;
    let text = "";
    // The newlines of the journal are put here: JSON has none of its own, so nobody need look for them.
    for (const [i, event] of events.entries()) text += `\n{"seq":${first + i},"at":"${at}",${encode(event).slice(1)}\n`;
    if (text !== "") appendFramed(this.#fd, Buffer.from(text), this.#path);
    this.#seq += events.length;
    return first;
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
