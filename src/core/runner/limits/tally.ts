import type { AgentEvent, EventOf, Usage } from "../../../contract/events.ts";
import { addEvent, addUsage, emptyTranscript, finalAnswer } from "../../../contract/sessions/transcript.ts";

/** What the end record needs of a run's events, kept small: only the latest turn's texts are held. */
export class Tally {
  lastOutcome: EventOf<"complete">["outcome"] | undefined;
  lastError: EventOf<"error"> | undefined;
  usage: Usage = { input: 0, output: 0 };
  turns = 0;
  #turn = emptyTranscript();
  #answer = "";
  /** Of the open turn, as far as its agent has told. */
  #soFar: Usage | undefined;

  add(event: AgentEvent): void {
    switch (event.type) {
      case "turn_started":
        this.#turn = emptyTranscript();
        this.lastError = undefined;
        return;
      case "message_chunk":
      case "tool_call":
        addEvent(this.#turn, event);
        return;
      case "error":
        this.lastError = event;
        return;
      case "usage":
        this.#soFar = event.usage;
        return;
      case "complete":
        this.turns += 1;
        this.lastOutcome = event.outcome;
        this.#count(event.usage ?? this.#soFar);
        this.#answer = this.#said() || this.#answer;
        this.#turn = emptyTranscript();
        return;
      default:
        return;
    }
  }

  /** A turn that was cut off tells no figures at its end; it was paid for all the same. */
  #count(usage: Usage | undefined): void {
    if (usage !== undefined) this.usage = addUsage(this.usage, usage);
    this.#soFar = undefined;
  }

  /** The agent's last words, also of a turn that is still open. */
  get answer(): string {
    return this.#said() || this.#answer;
  }

  #said(): string {
    return finalAnswer(this.#turn.items);
  }
}
