import type { Answer } from "../../contract/commands.ts";
import { AppError } from "../../contract/errors.ts";
import type { Json } from "./read.ts";

/** The answer in the agent's words; without one, that there will be none. */
type Wording = (answer: Answer | undefined) => Json;

/**
 * What an agent asks through an SDK and nobody has answered yet. A request is opened as soon as its line is read: a rule may
 * answer it before the SDK calls us for the reply, and then the reply is there already.
 */
export class PendingRequests {
  readonly #open = new Map<string, (answer: Answer | undefined) => void>();
  readonly #replies = new Map<string, Promise<Json>>();

  open(pendingId: string, wording: Wording): void {
    const reply = new Promise<Json>((resolve) => this.#open.set(pendingId, (answer) => resolve(wording(answer))));
    this.#replies.set(pendingId, reply);
  }

  /** For the SDK, once; `undefined` when this was never opened, because we offer no such thing. */
  reply(pendingId: string): Promise<Json> | undefined {
    const reply = this.#replies.get(pendingId);
    this.#replies.delete(pendingId);
    return reply;
  }

  answer(pendingId: string, answer: Answer): void {
    const settle = this.#open.get(pendingId);
    if (settle === undefined) throw new AppError("request.not_found", `request ${pendingId}: not open`);
    this.#open.delete(pendingId);
    settle(answer);
  }

  cancel(pendingId: string): void {
    this.#open.get(pendingId)?.(undefined);
    this.#open.delete(pendingId);
  }

  cancelAll(): void {
    for (const pendingId of [...this.#open.keys()]) this.cancel(pendingId);
  }
}
