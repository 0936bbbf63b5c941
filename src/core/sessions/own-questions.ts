import type { Answer } from "../../contract/commands.ts";
import type { EventOf, Question } from "../../contract/events.ts";

export type AskOutcome =
  | { outcome: "answered"; answers: Readonly<Record<string, readonly string[]>> }
  | { outcome: "declined" | "cancelled"; reason: string };

type QuestionRequest = EventOf<"question_request">;
type Resolved = EventOf<"request_resolved">;

/**
 * Questions that the run's own tools ask, not the agent's protocol. In the log they stand beside the agent's, so whoever
 * answers those answers these. A question belongs to its turn and to its asker, and goes with either.
 */
export class OwnQuestions {
  readonly #hear: (event: QuestionRequest | Resolved) => void;
  readonly #waiting = new Map<string, (outcome: AskOutcome) => void>();
  /** Asked before we heard of the turn's beginning: the agent's tools are faster than its output. */
  #early: QuestionRequest[] = [];
  readonly #nextName: () => string;

  constructor(hear: (event: QuestionRequest | Resolved) => void, nextName: () => string) {
    this.#hear = hear;
    this.#nextName = nextName;
  }

  /** Never rejects. Aborting the signal takes the question back. */
  async ask(questions: readonly Question[], turn: string | undefined, signal: AbortSignal): Promise<AskOutcome> {
    const pendingId = this.#nextName();
    const outcome = new Promise<AskOutcome>((resolve) => this.#waiting.set(pendingId, resolve));
    const asked: QuestionRequest = { type: "question_request", pendingId, turn, questions: [...questions] };
    if (turn === undefined) this.#early.push(asked);
    else this.#hear(asked);
    const takeBack = () => this.#cancel(pendingId, "whoever asked is not waiting any more");
    if (signal.aborted) takeBack();
    signal.addEventListener("abort", takeBack);
    return outcome.finally(() => signal.removeEventListener("abort", takeBack));
  }

  has(pendingId: string): boolean {
    return this.#waiting.has(pendingId);
  }

  turnStarted(turn: string): void {
    const early = this.#early;
    this.#early = [];
    for (const asked of early) this.#hear({ ...asked, turn });
  }

  /** Of a person, or of the policy; who it was is known to whoever hears that it is resolved. */
  answer(pendingId: string, answer: Answer): void {
    if ("answers" in answer) {
      this.#settle(pendingId, { outcome: "answered", answers: answer.answers });
      this.#hear({ type: "request_resolved", pendingId, outcome: "answered", by: "person" });
    } else {
      this.#settle(pendingId, { outcome: "declined", reason: answer.reason || "the person declined to answer" });
      this.#hear({ type: "request_resolved", pendingId, outcome: "denied", by: "person", reason: answer.reason });
    }
  }

  /** It was closed together with everything else that was open. */
  resolved({ pendingId, reason = "cancelled" }: Resolved): void {
    this.#settle(pendingId, { outcome: "cancelled", reason });
  }

  cancelAll(reason: string): void {
    for (const pendingId of this.#waiting.keys()) this.#cancel(pendingId, reason);
  }

  #cancel(pendingId: string, reason: string): void {
    if (!this.has(pendingId)) return;
    this.#settle(pendingId, { outcome: "cancelled", reason });
    const early = this.#early.some((asked) => asked.pendingId === pendingId);
    this.#early = this.#early.filter((asked) => asked.pendingId !== pendingId);
    // What the log never heard of can't be resolved in it.
    if (!early) this.#hear({ type: "request_resolved", pendingId, outcome: "cancelled", by: "agent", reason });
  }

  #settle(pendingId: string, outcome: AskOutcome): void {
    this.#waiting.get(pendingId)?.(outcome);
    this.#waiting.delete(pendingId);
  }
}
