import type { Answer } from "../../../../contract/commands.ts";
import { AppError } from "../../../../contract/errors.ts";
import type { AgentEvent, EventOf, PermissionOption, Question } from "../../../../contract/events.ts";
import { elicitationResult, questionsOf } from "../../acp/elicitation.ts";
import { type Json, listOf, objectOf, textOf } from "../../read.ts";
import type { ClaudeMessage } from "../messages.ts";
import type { Ask, ClaudeState, Step } from "./state.ts";
import { actionDetails, describeTool, kindOf, titleOf } from "./tools.ts";

const allow: PermissionOption = { id: "allow", label: "Allow", kind: "allow_once" };
const always: PermissionOption = { id: "allow_always", label: "Allow for this session", kind: "allow_always" };
const deny: PermissionOption = { id: "deny", label: "Deny", kind: "reject_once" };

/** The agent asks before it uses a tool, or uses the tool that asks. */
export function asked(state: ClaudeState, message: ClaudeMessage): Step {
  const request = objectOf(message.request);
  const ask = askOf(textOf(message.request_id) ?? "", request);
  const next = { ...state, asks: new Map(state.asks).set(ask.requestId, ask) };
  return [next, [ask.kind === "permission" ? permission(state, ask, request) : question(state, ask, request)]];
}

/** The agent takes its request back: an interrupt, or its turn went on without the answer. */
export function withdrawn(state: ClaudeState, pendingId: string): Step {
  if (askedFor(state, pendingId) === undefined) return [state, []];
  return [settled(state, pendingId), [{ type: "request_resolved", pendingId, outcome: "cancelled", by: "agent" }]];
}

/** We answered. Who decided is filled in by the layer above, which knows. */
export function answered(state: ClaudeState, message: ClaudeMessage): Step {
  const { request_id, subtype, response, error } = objectOf(message.response);
  const pendingId = textOf(request_id) ?? "";
  const ask = askedFor(state, pendingId);
  if (ask === undefined) return [state, []];
  const { behavior, action, message: reason, updatedPermissions } = objectOf(response);
  const refused = subtype === "error" || behavior === "deny" || action === "decline" || action === "cancel";
  const outcome = refused ? "denied" : ask.kind === "permission" ? "allowed" : "answered";
  const allowed = updatedPermissions === undefined ? allow.id : always.id;
  const optionId = ask.kind !== "permission" ? undefined : refused ? deny.id : allowed;
  const told = textOf(reason) ?? textOf(error);
  const resolved: AgentEvent = { type: "request_resolved", pendingId, outcome, by: "person", optionId, reason: told };
  const next = settled(state, pendingId);
  if (ask.toolCallId === undefined) return [next, [resolved]];
  if (outcome === "denied") return [{ ...next, denied: new Set(state.denied).add(ask.toolCallId) }, [resolved]];
  return [next, [resolved, ...rewritten(state, ask, ask.toolCallId, objectOf(response).updatedInput)]];
}

/** Whoever allows an action may change it first: what runs is what must be shown. */
function rewritten(state: ClaudeState, ask: Ask, toolCallId: string, input: unknown): AgentEvent[] {
  if (ask.kind !== "permission" || JSON.stringify(input) === JSON.stringify(ask.input)) return [];
  const { toolTitle, toolArgs, diffs, locations } = describeTool(ask.tool, objectOf(input));
  return [{ type: "tool_update", turn: state.turn?.id, toolCallId, toolTitle, toolArgs, diffs, locations }];
}

/** The tool's result settles its request, if we didn't see the answer (a log made elsewhere). */
export function settledByResult(state: ClaudeState, toolCallId: string, wasDenied: boolean): Step {
  for (const [pendingId, ask] of state.asks) {
    if (ask === "closed" || ask.toolCallId !== toolCallId) continue;
    const outcome = wasDenied ? "denied" : ask.kind === "permission" ? "allowed" : "answered";
    return [settled(state, pendingId), [{ type: "request_resolved", pendingId, outcome, by: "person" }]];
  }
  return [state, []];
}

export function askedFor(state: ClaudeState, pendingId: string): Ask | undefined {
  const ask = state.asks.get(pendingId);
  return ask === "closed" ? undefined : ask;
}

/** The answer as the CLI wants it. A denial without words would poison the conversation: the API refuses empty results. */
export function replyTo(ask: Ask, answer: Answer): Json {
  if (ask.kind === "elicitation") return elicitationResult(ask.questions, answer);
  if ("decline" in answer) return { behavior: "deny", message: answer.reason || "The user declined." };
  if ("answers" in answer) {
    if (ask.kind === "permission") throw new AppError("usage.invalid", `request ${ask.requestId}: asks for permission`);
    return { behavior: "allow", updatedInput: { ...ask.input, answers: answersOf(ask.questions, answer.answers) } };
  }
  const updatedInput = answer.args === undefined ? ask.input : objectOf(answer.args);
  switch (answer.optionId) {
    case allow.id:
      return { behavior: "allow", updatedInput };
    case always.id:
      return { behavior: "allow", updatedInput, updatedPermissions: forSession(ask.suggestions) };
    case deny.id:
      return { behavior: "deny", message: answer.reason || "The user doesn't want this. Ask how to go on." };
    default:
      throw new AppError("usage.invalid", `request ${ask.requestId}: no option ${answer.optionId}`);
  }
}

function askOf(requestId: string, request: Json): Ask {
  const isElicitation = request.subtype === "elicitation";
  const isQuestion = request.tool_name === "AskUserQuestion";
  const input = objectOf(request.input);
  const form = { requestedSchema: request.requested_schema, url: request.url };
  return {
    kind: isElicitation ? "elicitation" : isQuestion ? "question" : "permission",
    requestId,
    tool: textOf(request.tool_name) ?? "unknown",
    toolCallId: textOf(request.tool_use_id),
    agentId: textOf(request.agent_id),
    input,
    suggestions: request.suppress_always_allow_rule === true ? [] : listOf(request.permission_suggestions),
    questions: isElicitation ? questionsOf(form).questions : isQuestion ? questionsIn(input) : [],
  };
}

function permission(state: ClaudeState, ask: Ask, request: Json): EventOf<"permission_request"> {
  const name = ask.tool;
  const blocked = textOf(request.blocked_path);
  const details = actionDetails(name, ask.input);
  return {
    type: "permission_request",
    pendingId: ask.requestId,
    turn: state.turn?.id,
    toolCallId: ask.toolCallId,
    permissionTitle: textOf(request.title) ?? titleOf(name, ask.input),
    reason: textOf(request.decision_reason) ?? textOf(request.description),
    source: "protocol",
    actionType: kindOf(name),
    actionDetails: { ...details, paths: details.paths ?? (blocked === undefined ? undefined : [blocked]) },
    permissionOptions: ask.suggestions.length > 0 ? [allow, always, deny] : [allow, deny],
  };
}

function question(state: ClaudeState, ask: Ask, request: Json): EventOf<"question_request"> {
  return {
    type: "question_request",
    pendingId: ask.requestId,
    turn: state.turn?.id,
    toolCallId: ask.toolCallId,
    message: textOf(request.message),
    questions: [...ask.questions],
    url: textOf(request.url),
  };
}

function questionsIn(input: Json): Question[] {
  return listOf(input.questions).map((item, index) => {
    const { question, header, multiSelect, options } = objectOf(item);
    const choices = listOf(options).map((option) => {
      const label = textOf(objectOf(option).label) ?? "";
      return { value: label, label, description: textOf(objectOf(option).description) };
    });
    return {
      id: `q${index + 1}`,
      text: textOf(question) ?? "",
      header: textOf(header),
      answer: multiSelect === true ? "choices" : "choice",
      choices,
      allowOther: true,
    };
  });
}

/** The tool knows its questions by their text, and several choices as one line. */
function answersOf(questions: readonly Question[], answers: Readonly<Record<string, readonly string[]>>): Json {
  return Object.fromEntries(
    questions.flatMap(({ id, text }) => (answers[id] === undefined ? [] : [[text, answers[id].join(", ")]])),
  );
}

/**
 * What "always" grants ends with the session, so that nothing is written into the settings of the workspace. A rule for
 * this action is preferred to a mode that allows much more.
 */
function forSession(suggestions: readonly unknown[]): Json[] {
  const updates = suggestions.map(objectOf);
  const hasRule = updates.some(({ type }) => type === "addRules");
  return updates
    .filter(({ type }) => !(hasRule && type === "setMode"))
    .map((update) => ({ ...update, destination: "session" }));
}

const settled = (state: ClaudeState, pendingId: string): ClaudeState => ({
  ...state,
  asks: new Map(state.asks).set(pendingId, "closed"),
});
