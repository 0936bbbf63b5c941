import type { AgentEvent } from "../../contract/events.ts";

/**
 * Agents call what they ask by a UUID, by a number of their connection, by anything. People get one name for all of them, short
 * enough to type: p0, p1, … through the run.
 */
export class RequestNames {
  readonly #ours = new Map<string, string>();
  readonly #theirs = new Map<string, string>();
  #count = 0;

  next(): string {
    this.#count += 1;
    return `p${this.#count - 1}`;
  }

  /** What the agent said, by our names. What it asks for again while it is open keeps its name. */
  translate(event: AgentEvent, isOpen: (name: string) => boolean): AgentEvent {
    switch (event.type) {
      case "permission_request":
      case "question_request": {
        const before = this.#ours.get(event.pendingId);
        const name = before !== undefined && isOpen(before) ? before : this.next();
        this.#ours.set(event.pendingId, name);
        this.#theirs.set(name, event.pendingId);
        return { ...event, pendingId: name };
      }
      case "request_resolved":
        return { ...event, pendingId: this.#ours.get(event.pendingId) ?? event.pendingId };
      default:
        return event;
    }
  }

  theirs(name: string): string {
    return this.#theirs.get(name) ?? name;
  }
}
