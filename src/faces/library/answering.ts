import { AppError } from "../../contract/errors.ts";
import type { AgentEvent } from "../../contract/events.ts";
import type { OpenRequest } from "../../contract/sessions/transcript.ts";
import type { GivenAnswer } from "./given-answer.ts";

/** Hands each open request to whoever answers, once and side by side: one that takes long holds up no other. */
export async function answerRequests(
  batches: AsyncIterable<readonly AgentEvent[]>,
  decide: (request: OpenRequest) => GivenAnswer | undefined | Promise<GivenAnswer | undefined>,
  answer: (request: OpenRequest, given: GivenAnswer) => Promise<void>,
): Promise<void> {
  const answers = new Map<string, Promise<void>>();
  for await (const events of batches) {
    const resolved = new Set(events.flatMap((event) => (event.type === "request_resolved" ? [event.pendingId] : [])));
    for (const event of events) {
      if (event.type !== "permission_request" && event.type !== "question_request") continue;
      const forPerson = event.decider === undefined || event.decider === "person";
      if (!forPerson || resolved.has(event.pendingId) || answers.has(event.pendingId)) continue;
      answers.set(event.pendingId, answerOne(event));
    }
  }
  await Promise.all(answers.values());

  async function answerOne(request: OpenRequest): Promise<void> {
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
