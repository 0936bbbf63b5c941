import type { SentCommand } from "../../../contract/commands.ts";
import type { RecordedEvent } from "../../../contract/events.ts";

const STOP_GRACE_MS = 5000;

/** Ctrl-C: once interrupts the turn, twice stops the agent's whole tree and finishes the record, thrice kills. */
export class CtrlC {
  readonly #send: (command: SentCommand) => Promise<void>;
  #times = 0;

  constructor(send: (command: SentCommand) => Promise<void>) {
    this.#send = send;
  }

  readonly press = (): void => {
    this.#times += 1;
    if (this.#times === 1) this.#send({ type: "interrupt" }).catch(() => this.stop("SIGINT"));
    else this.stop("SIGINT", this.#times === 2 ? STOP_GRACE_MS : 0);
  };

  stop(signal?: "SIGINT" | "SIGTERM", graceMs?: number): void {
    this.#send({ type: "stop", signal, graceMs }).catch(() => {}); // it has ended: that is shown
  }

  /** Whoever has pressed it once sees that it was heard, and what comes next. */
  next(first = "interrupts"): string {
    return [first, "again stops the agent"][this.#times] ?? "again kills the agent";
  }

  /** A new turn is interrupted anew. */
  saw(events: readonly RecordedEvent[]): void {
    if (events.some((event) => event.type === "turn_started")) this.#times = 0;
  }
}
