/** One server-sent event. `id` is there when the server gave one with it. */
export interface StreamEvent {
  /** A run's id, `ledger`, `bus`, `live`, `reset` or `end`; `message` on the stream of one run. */
  event: string;
  data: string;
  id?: string;
}

/** Text of an event stream, in pieces as they come, into events. */
export class EventParser {
  #rest = "";
  #event = "";
  #data: string | undefined;
  #id: string | undefined;

  push(text: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    const all = this.#rest + text;
    let from = 0;
    for (let at = all.indexOf("\n"); at !== -1; at = all.indexOf("\n", from)) {
      const end = at > from && all[at - 1] === "\r" ? at - 1 : at;
      const event = this.#line(all.slice(from, end));
      if (event !== undefined) events.push(event);
      from = at + 1;
    }
    this.#rest = all.slice(from);
    return events;
  }

  #line(line: string): StreamEvent | undefined {
    if (line === "") return this.#take();
    const colon = line.indexOf(":");
    if (colon === 0) return undefined; // a heartbeat
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.#event = value;
    else if (field === "id") this.#id = value;
    else if (field === "data") this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    return undefined;
  }

  #take(): StreamEvent | undefined {
    const [event, data, id] = [this.#event, this.#data, this.#id];
    this.#event = "";
    this.#data = undefined;
    this.#id = undefined;
    if (data === undefined) return undefined;
    return { event: event === "" ? "message" : event, data, ...(id === undefined ? {} : { id }) };
  }
}
