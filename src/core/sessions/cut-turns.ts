import type { EventOf } from "../../contract/events.ts";

/** Turns that were cut short. The agent ends them in words of its own; here is what they ended by. */
export class CutTurns {
  #lost: { turn: string; reason: string } | undefined;
  #interrupted: string | undefined;

  /** We gave up on it. False when we have already. */
  lose(turn: string, reason: string): boolean {
    if (this.#lost?.turn === turn) return false;
    this.#lost = { turn, reason };
    return true;
  }

  /** A person interrupted it. */
  interrupt(turn: string): void {
    this.#interrupted = turn;
  }

  ended(event: EventOf<"complete">): EventOf<"complete"> {
    const { turn } = event;
    if (turn === this.#lost?.turn)
      return { ...event, outcome: "failed", stopReason: undefined, reason: this.#lost.reason };
    // Opencode, while it waits to try again, says that it is done.
    return turn === this.#interrupted ? { ...event, outcome: "interrupted", stopReason: "cancelled" } : event;
  }
}
