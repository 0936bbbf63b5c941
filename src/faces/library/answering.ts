import { AppError } from "../../contract/errors.ts";
import type { RecordedEvent } from "../../contract/events.ts";
import type { OpenRequest } from "../../contract/runs/transcript.ts";
import type { GivenAnswer } from "./answer-words.ts";

/** Rules and policies answer in the same breath: only what is still open then is for a person. */
const SETTLE_MS = 30;

/** Hands each open request to whoever answers, side by side: one that takes long holds up no other. */
export async function answerRequests(
  batches: AsyncIterable<readonly RecordedEvent[]>,
  decide: (request: OpenRequest) => GivenAnswer | undefined | Promise<GivenAnswer | undefined>,
  answer: (request: OpenRequest, given: GivenAnswer) => Promise<void>,
): Promise<void> {
  const open = new Set<string>();
  const answers: Promise<void>[] = [];
  for await (const events of batches) {
    for (const event of events) {
      if (event.type === "request_resolved") open.delete(event.pendingId);
      if (event.type !== "permission_request" && event.type !== "question_request") continue;
      open.add(event.pendingId);
      answers.push(answerOne(event));
    }
  }
  await Promise.all(answers);

  async function answerOne(request: OpenRequest): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    if (!open.has(request.pendingId)) return;
    const given = await decide(request);
    if (given === undefined) return;
    await answer(request, given).catch((error: unknown) => {
      if (!isTooLate(error)) throw error;
    });
  }
}

/** Somebody else answered first, or the run has ended: nothing is left to answer. */
const isTooLate = (error: unknown): boolean =>
  error instanceof AppError && ["request.resolved", "request.not_found", "run.not_live"].includes(error.code);
