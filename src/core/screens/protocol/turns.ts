import type { Answer } from "../../../contract/commands.ts";
import type { AgentEvent, EventOf, PermissionOption } from "../../../contract/events.ts";
import type { Reply } from "../answering.ts";
import type { Prompt } from "../state/agent-state.ts";

type PermissionRequest = EventOf<"permission_request">;
type QuestionRequest = EventOf<"question_request">;

/** What an agent asks on its screen, as a request of ours. */
export function requestOf(
  prompt: Prompt,
  pendingId: string,
  turn: string | undefined,
): PermissionRequest | QuestionRequest {
  if (prompt.type === "question") return questionOf(prompt, pendingId, turn);
  const command = prompt.input ?? undefined;
  return {
    type: "permission_request",
    pendingId,
    turn,
    ...(prompt.tool === null ? {} : { toolName: prompt.tool }),
    permissionTitle: titleOf(prompt),
    source: "screen",
    actionType: prompt.tool === null && prompt.type !== "permission" ? "other" : "execute",
    actionDetails: command === undefined ? {} : { command },
    permissionOptions: prompt.options.length === 0 ? YES_OR_NO : prompt.options.map(optionOf),
    takesReason: false,
  };
}

function titleOf({ type, subtype, tool, input }: Prompt): string {
  const what =
    type === "plan"
      ? "go on with its plan"
      : subtype === "trust"
        ? "work in this folder"
        : (input ?? subtype ?? tool ?? type);
  return what.split("\n")[0] ?? what;
}

const YES_OR_NO: PermissionOption[] = [
  { id: "yes", label: "Yes", kind: "allow_once" },
  { id: "no", label: "No", kind: "reject_once" },
];

function optionOf(label: string, index: number): PermissionOption {
  const isNo = /^(no|reject|deny|decline|cancel|don.t|exit)\b/i.test(label);
  const isForGood = /\b(always|don.t ask|for this session|all)\b/i.test(label);
  const kind = isNo ? (isForGood ? "reject_always" : "reject_once") : isForGood ? "allow_always" : "allow_once";
  return { id: String(index + 1), label, kind };
}

function questionOf({ questions, options }: Prompt, pendingId: string, turn: string | undefined): QuestionRequest {
  const asked = questions.length > 0 ? questions : [{ question: "", options }];
  return {
    type: "question_request",
    pendingId,
    turn,
    questions: asked.map(({ question, options: labels }, index) => ({
      id: String(index + 1),
      text: question,
      answer: labels.length === 0 ? "text" : "choice",
      choices: labels.map((label) => ({ value: label, label })),
      allowOther: true,
    })),
  };
}

/** What to type for an answer; `words` are what a program without options wants to hear. */
export function replyOf(prompt: Prompt, answer: Answer, words: { yes: string; no: string }): Reply {
  if ("answers" in answer) {
    const asked = prompt.questions.length > 0 ? prompt.questions : [{ question: "", options: prompt.options }];
    return { answers: asked.map(({ options }, index) => pick(options, answer.answers[String(index + 1)]?.[0] ?? "")) };
  }
  const choice = "optionId" in answer ? answer.optionId : "no";
  const number = Number(choice);
  if (Number.isInteger(number) && prompt.options.length > 0) return { option: number };
  if (prompt.options.length > 0) return { accept: choice === "yes" };
  return { text: choice === "yes" ? words.yes : words.no };
}

function pick(options: readonly string[], said: string): { option?: number; text?: string } {
  const at = options.indexOf(said);
  return at === -1 ? { text: said } : { option: at + 1 };
}

export function resolvedBy(answer: Answer | undefined, request: PermissionRequest | QuestionRequest): AgentEvent {
  const { pendingId } = request;
  if (answer === undefined) return { type: "request_resolved", pendingId, outcome: "cancelled", by: "agent" };
  if ("answers" in answer) return { type: "request_resolved", pendingId, outcome: "answered", by: "person" };
  if ("decline" in answer) return { type: "request_resolved", pendingId, outcome: "denied", by: "person" };
  const { optionId } = answer;
  const kind =
    request.type === "permission_request"
      ? request.permissionOptions.find(({ id }) => id === optionId)?.kind
      : undefined;
  const outcome = kind?.startsWith("reject") ? "denied" : "allowed";
  return { type: "request_resolved", pendingId, outcome, by: "person", optionId };
}
