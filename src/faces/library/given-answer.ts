import type { Answer } from "../../contract/commands.ts";
import { type Reply, replyFrom } from "../../contract/requests/reply.ts";
import type { OpenRequest } from "../../contract/sessions/session-state.ts";

/**
 * `allow`, `always` or `deny` a permission, or one of its options by id or label; the text that answers a question, or one of its
 * choices; or a whole answer.
 */
export type GivenAnswer = "allow" | "always" | "deny" | (string & {}) | Answer;

/** The same as everywhere a person answers: `always` is a rule where one can say the action. */
export function replyTo(
  request: OpenRequest,
  given: GivenAnswer,
  terms: { canRemember: boolean; reason?: string },
): Reply {
  if (typeof given === "string") return replyFrom(request, [given], terms);
  const { reason } = terms;
  return { answer: "answers" in given || reason === undefined ? given : { ...given, reason } };
}
