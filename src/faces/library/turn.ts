import { AppError } from "../../contract/errors.ts";
import type { AgentEvent, EventOf, Usage } from "../../contract/events.ts";
import { addEvent, emptyTranscript, finalAnswer, type TranscriptItem } from "../../contract/sessions/transcript.ts";

export interface TurnResult {
  outcome: EventOf<"complete">["outcome"];
  /** What the agent said last. */
  finalResponse: string;
  items: TranscriptItem[];
  usage: Usage | undefined;
}

/** One turn as it is folded from its events. */
export class Turn {
  readonly #transcript = emptyTranscript();
  #error: EventOf<"error"> | undefined;
  #end: EventOf<"complete"> | undefined;

  add(event: AgentEvent): void {
    addEvent(this.#transcript, event);
    if (event.type === "error") this.#error = event;
    if (event.type === "complete") this.#end = event;
  }

  get error(): EventOf<"error"> | undefined {
    return this.#error;
  }

  /** Why it wasn't completed, as far as the agent said. */
  get trouble(): string {
    return this.#error?.message ?? this.#end?.reason ?? "the turn failed";
  }

  get result(): TurnResult | undefined {
    if (this.#end === undefined) return undefined;
    const { items } = this.#transcript;
    return { outcome: this.#end.outcome, finalResponse: finalAnswer(items), items, usage: this.#end.usage };
  }
}

/** The turn that this prompt begins, or without one the first; thrown where it failed, or never was. */
export async function turnIn(
  batches: AsyncIterable<readonly AgentEvent[]>,
  promptId: string | undefined,
): Promise<TurnResult> {
  let turn: Turn | undefined;
  let id: string | undefined;
  let error: EventOf<"error"> | undefined;
  for await (const events of batches) {
    for (const event of events) {
      if (event.type === "error") error = event;
      if (turn === undefined && event.type === "user_message" && event.delivery === "start") {
        if (promptId === undefined || event.promptId === promptId) turn = new Turn();
      }
      if (turn === undefined) continue;
      if (event.type === "turn_started") id ??= event.turn;
      if (event.type === "complete" && event.turn !== id) continue; // the late end of an interrupted one
      turn.add(event);
      if (turn.result === undefined) continue;
      if (turn.result.outcome !== "failed") return turn.result;
      throw new AppError("agent.failed", turn.trouble, { category: turn.error?.category });
    }
  }
  const why = error === undefined ? "" : `: ${error.message}`;
  throw new AppError("agent.failed", `the run ended before the turn did${why}`, { category: error?.category });
}
