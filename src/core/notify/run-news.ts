import type { AgentEvent } from "../../contract/events.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { waitsForPerson } from "../../contract/sessions/session-state.ts";
import type { Clock } from "../../lib/base/clock.ts";
import {
  budgetDraft,
  endDraft,
  type NotifyEvent,
  type NotifyMessage,
  newMessage,
  type RunOfMessage,
  requestDraft,
} from "./message.ts";

export interface NewsOptions {
  run: RunOfMessage;
  events: ReadonlySet<NotifyEvent>;
  /** Who answers at once needn't be told elsewhere. */
  requestAfterMs: number;
  /** Another run or a loop waits for its end, not a person. */
  endsUnnoticed: boolean;
  clock: Clock;
  tell(message: NotifyMessage): void;
}

/** Shorter runs are over before anybody has turned away. */
const LONG_MS = 60_000;

/** What of a run's life a person wants to hear. */
export class RunNews {
  readonly #options: NewsOptions;
  readonly #open = new Map<string, () => void>();

  constructor(options: NewsOptions) {
    this.#options = options;
  }

  heard(events: readonly AgentEvent[]): void {
    for (const event of events) {
      if (event.type === "permission_request" || event.type === "question_request") {
        if (!waitsForPerson(event)) continue;
        const { run, clock, requestAfterMs } = this.#options;
        const draft = requestDraft(run, event);
        this.#open.set(
          event.pendingId,
          clock.after(requestAfterMs, () => this.#tell(draft)),
        );
      } else if (event.type === "request_resolved") {
        this.#open.get(event.pendingId)?.();
        this.#open.delete(event.pendingId);
      } else if (event.type === "notice" && event.code === "budget_near") {
        this.#tell(budgetDraft(this.#options.run, event.text));
      }
    }
  }

  ended(info: RunInfo): void {
    for (const takeBack of this.#open.values()) takeBack();
    this.#open.clear();
    // Who stopped it knows.
    if (this.#options.endsUnnoticed || info.reason === "stopped") return;
    const lasted = Date.parse(info.end_time) - Date.parse(info.start_time);
    if (info.status === "failed" || lasted > LONG_MS) this.#tell(endDraft(this.#options.run, info));
  }

  #tell(draft: Parameters<typeof newMessage>[0]): void {
    const { events, clock } = this.#options;
    if (draft.event === "test" || events.has(draft.event)) this.#options.tell(newMessage(draft, clock.now()));
  }
}
