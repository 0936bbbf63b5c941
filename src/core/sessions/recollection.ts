import type { AgentEvent } from "../../contract/events.ts";
import { addEvent, emptyTranscript } from "../../contract/sessions/transcript.ts";
import { retell } from "../agents/launch/retelling.ts";

/**
 * For an agent with a process per turn. The next process goes on by itself only if the last one named the conversation and its
 * definition says how to ask for it; else it is told what was said before.
 */
export class Recollection {
  readonly #canAsk: boolean;
  readonly #transcript = emptyTranscript();
  #isNamed = false;

  constructor(canAsk: boolean) {
    this.#canAsk = canAsk;
  }

  heard(event: AgentEvent): void {
    addEvent(this.#transcript, event);
    if (event.type === "session_status" && "sessionId" in event) this.#isNamed = true;
  }

  /** What its next process has to be told; undefined where it remembers, or there is nothing yet. */
  get words(): string | undefined {
    if (this.#isNamed && this.#canAsk) return undefined;
    return retell(this.#transcript.items) || undefined;
  }
}
