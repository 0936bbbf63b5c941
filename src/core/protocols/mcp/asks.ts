import type { Answer } from "../../../contract/commands.ts";
import type { EventOf, PermissionOption, Question } from "../../../contract/events.ts";
import { elicitationResult, questionsOf } from "../acp/elicitation.ts";
import { isObject, type Json, listOf, objectOf, textOf } from "../read.ts";

/** What an elicitation asks: a form is a question; one without any field only wants a yes, which is a permission. */
export type Ask =
  | { kind: "permission"; request: Omit<EventOf<"permission_request">, "pendingId" | "turn"> }
  | {
      kind: "question";
      request: Omit<EventOf<"question_request">, "pendingId" | "turn">;
      questions: readonly Question[];
    };

export function askOf(params: Json): Ask {
  const fields = Object.keys(objectOf(objectOf(params.requestedSchema).properties));
  if (fields.length > 0 || textOf(params.url) !== undefined) {
    const asked = questionsOf(params);
    return { kind: "question", request: { type: "question_request", ...asked }, questions: asked.questions };
  }
  const command = commandOf(params.codex_command);
  return {
    kind: "permission",
    request: {
      type: "permission_request",
      permissionTitle: textOf(params.message) ?? "the agent asks for permission",
      source: "protocol",
      actionType: command !== undefined ? "execute" : isObject(params.codex_changes) ? "edit" : "other",
      actionDetails: {
        command,
        cwd: textOf(params.codex_cwd),
        paths: isObject(params.codex_changes) ? Object.keys(params.codex_changes) : undefined,
      },
      permissionOptions: options,
      takesReason: false,
    },
  };
}

const options: PermissionOption[] = [
  { id: "accept", label: "Allow", kind: "allow_once" },
  { id: "decline", label: "Refuse", kind: "reject_once" },
];

function commandOf(value: unknown): string | undefined {
  const words = listOf(value).filter((word) => typeof word === "string");
  return words.length > 0 ? words.join(" ") : undefined;
}

/** codex reads `decision`, which MCP doesn't know; everybody else reads `action`. */
export function replyTo(ask: Ask, answer: Answer | undefined): Json {
  if (answer === undefined) return { action: "cancel", decision: "abort" };
  if (ask.kind === "question") return elicitationResult(ask.questions, answer);
  if ("optionId" in answer && answer.optionId === "accept")
    return { action: "accept", content: {}, decision: "approved" };
  return { action: "decline", decision: "denied" };
}
