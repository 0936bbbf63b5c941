import type { Answer } from "../../contract/commands.ts";
import { AppError } from "../../contract/errors.ts";
import type { PermissionOption } from "../../contract/events.ts";
import type { OpenRequest } from "../../contract/runs/transcript.ts";

/**
 * `allow`, `always` or `deny` a permission, or one of its options by id; the text that answers a question, or one of its choices
 * by value or label; or a whole answer.
 */
export type GivenAnswer = "allow" | "always" | "deny" | (string & {}) | Answer;

/** Our three words go by the option's kind, never by its label: an agent chooses its labels. */
const kinds: Readonly<Record<string, readonly PermissionOption["kind"][]>> = {
  allow: ["allow_once"],
  always: ["allow_always"],
  deny: ["reject_once", "reject_always"],
};

/** What was given, as the answer to this request; refused with what would fit. */
export function answerTo(request: OpenRequest, given: GivenAnswer, reason?: string): Answer {
  const withReason = reason === undefined ? {} : { reason };
  if (typeof given !== "string") return "answers" in given ? given : { ...given, ...withReason };
  if (request.type === "question_request") return answerQuestion(request, given);
  const options = request.permissionOptions;
  const option = Object.hasOwn(kinds, given)
    ? (kinds[given] ?? []).flatMap((kind) => options.filter((one) => one.kind === kind))[0]
    : options.find(({ id }) => id === given);
  if (option !== undefined) return { optionId: option.id, ...withReason };
  // An agent that offers no way to refuse is refused all the same.
  if (given === "deny") return { decline: true, ...withReason };
  const offered = options.map(({ id }) => id).join(", ");
  throw new AppError(
    "usage.invalid",
    `request ${request.pendingId}: no answer ${given}; use deny or one of ${offered}`,
  );
}

function answerQuestion({ pendingId, questions }: OpenRequest & { type: "question_request" }, text: string): Answer {
  const [question, another] = questions;
  if (question === undefined || another !== undefined) {
    const ids = questions.map(({ id }) => id).join(", ");
    throw new AppError("usage.invalid", `request ${pendingId}: has several questions; answer each by its id: ${ids}`);
  }
  const choice = question.choices?.find(({ value, label }) => value === text || label === text);
  return { answers: { [question.id]: [choice?.value ?? text] } };
}
