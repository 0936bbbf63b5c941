import type { Answer } from "../../../contract/commands.ts";
import { AppError } from "../../../contract/errors.ts";
import type { AgentEvent, EventOf, PermissionOption, Question, ToolKind } from "../../../contract/events.ts";
import { elicitationResult, questionsOf } from "../acp/elicitation.ts";
import { type Json, listOf, objectOf, textOf } from "../read.ts";
import { type CodexMessage, pendingIdOf, type RpcId } from "./messages.ts";
import type { Ask, CodexState, Step } from "./state.ts";
import { commandTitle, patchTitle } from "./tools.ts";

const allow: PermissionOption = { id: "accept", label: "Allow", kind: "allow_once" };
const always: PermissionOption = { id: "acceptForSession", label: "Allow for this session", kind: "allow_always" };
const deny: PermissionOption = { id: "decline", label: "Deny", kind: "reject_once" };
const denyAndStop: PermissionOption = { id: "cancel", label: "Deny and stop the turn", kind: "reject_once" };

const kinds: Readonly<Record<string, Ask["kind"]>> = {
  "item/commandExecution/requestApproval": "decision",
  "item/fileChange/requestApproval": "decision",
  "item/permissions/requestApproval": "permissions",
  "item/tool/requestUserInput": "questions",
  "mcpServer/elicitation/request": "elicitation",
};

export const isAsk = (method: string | undefined) => method !== undefined && kinds[method] !== undefined;

export function asked(state: CodexState, message: CodexMessage): Step {
  const { id, method = "", params = {} } = message;
  if (id === undefined) return [state, []];
  const ask = askOf(id, method, params);
  const next = { ...state, asks: new Map(state.asks).set(pendingIdOf(id), ask) };
  const isQuestion = ask.kind === "questions" || ask.kind === "elicitation";
  return [next, [isQuestion ? question(state, ask) : permission(state, ask, method)]];
}

/** Codex goes on without the answer: its turn was interrupted. After an answer of ours it says the same. */
export function withdrawn(state: CodexState, requestId: unknown): Step {
  if (typeof requestId !== "string" && typeof requestId !== "number") return [state, []];
  const pendingId = pendingIdOf(requestId);
  if (askedFor(state, pendingId) === undefined) return [state, []];
  return [settled(state, pendingId), [{ type: "request_resolved", pendingId, outcome: "cancelled", by: "agent" }]];
}

/** We answered. Who decided is filled in by the layer above, which knows. */
export function answered(state: CodexState, message: CodexMessage): Step {
  if (message.id === undefined) return [state, []];
  const pendingId = pendingIdOf(message.id);
  const ask = askedFor(state, pendingId);
  if (ask === undefined) return [state, []];
  const verdict = verdictIn(ask, objectOf(message.result));
  const resolved: AgentEvent = { type: "request_resolved", pendingId, by: "person", ...verdict };
  return [settled(state, pendingId), [resolved]];
}

export function askedFor(state: CodexState, pendingId: string): Ask | undefined {
  const ask = state.asks.get(pendingId);
  return ask === "closed" ? undefined : ask;
}

/** The answer as codex wants it. */
export function replyTo(ask: Ask, answer: Answer): Json {
  if (ask.kind === "elicitation") return { content: null, _meta: null, ...elicitationResult(ask.questions, answer) };
  if (ask.kind === "questions") return { answers: "answers" in answer ? listed(answer.answers) : {} };
  if ("answers" in answer) throw new AppError("usage.invalid", `request ${pendingIdOf(ask.id)}: asks for permission`);
  const optionId = "decline" in answer ? deny.id : answer.optionId;
  const option = optionsOf(ask).find(({ id }) => id === optionId);
  if (option === undefined)
    throw new AppError("usage.invalid", `request ${pendingIdOf(ask.id)}: no option ${optionId}`);
  switch (ask.kind) {
    case "permissions":
      return granted(ask, option);
    case "mcpTool":
      return mcpDecision(option);
    default:
      return { decision: option.id };
  }
}

/** Why a tool may not be used, if that is what was answered and the turn goes on. */
export function reasonToDeny({ kind }: Ask, answer: Answer): string | undefined {
  if (kind === "questions" || kind === "elicitation" || "answers" in answer) return undefined;
  const isDenied = "decline" in answer || answer.optionId === deny.id;
  return isDenied && answer.reason?.trim() ? answer.reason : undefined;
}

function askOf(id: RpcId, method: string, params: Json): Ask {
  const isApproval = objectOf(params._meta).codex_approval_kind === "mcp_tool_call";
  const kind = isApproval ? "mcpTool" : (kinds[method] ?? "decision");
  const questions =
    kind === "questions" ? questionsIn(params) : kind === "elicitation" ? questionsOf(params).questions : [];
  return { kind, id, itemId: textOf(params.itemId), params, questions };
}

function optionsOf({ kind, params }: Ask): PermissionOption[] {
  if (kind === "permissions") return [allow, always, deny];
  if (kind !== "mcpTool") return [allow, always, deny, denyAndStop];
  const keeps = listOf(objectOf(params._meta).persist).includes("session");
  return keeps ? [allow, always, deny] : [allow, deny];
}

function permission(state: CodexState, ask: Ask, method: string): EventOf<"permission_request"> {
  return {
    type: "permission_request",
    pendingId: pendingIdOf(ask.id),
    turn: state.turn?.id,
    toolCallId: ask.itemId,
    reason: textOf(ask.params.reason),
    source: "protocol",
    ...actionOf(state, ask, method),
    permissionOptions: optionsOf(ask),
  };
}

type Action = Pick<EventOf<"permission_request">, "permissionTitle" | "actionType" | "actionDetails">;

function actionOf(state: CodexState, { kind: asked, params, itemId }: Ask, method: string): Action {
  if (asked === "mcpTool") return action(textOf(params.message) ?? "Use a tool of an MCP server", "other", {});
  if (asked === "permissions") return widening(params);
  if (method === "item/fileChange/requestApproval") {
    const diffs = [...(state.patches.get(itemId ?? "") ?? [])];
    const paths = diffs.map(({ path }) => path);
    const root = textOf(params.grantRoot);
    if (root !== undefined) return action(`Edit anything under ${root}`, "edit", { paths: [root], diffs });
    const { title, kind } = patchTitle(diffs);
    return action(title, kind, { paths, diffs });
  }
  const network = objectOf(params.networkApprovalContext);
  const host = textOf(network.host);
  if (host !== undefined)
    return action(`Connect to ${host}`, "fetch", { url: `${String(network.protocol)}://${host}` });
  const command = commandTitle(params);
  const title = params.kind === "writeStdin" ? `Type into: ${command}` : command;
  return action(title, "execute", { command, cwd: textOf(params.cwd) });
}

/** More of the file system or the network than the sandbox grants. */
function widening(params: Json): Action {
  const { fileSystem, network } = objectOf(params.permissions);
  const { read, write } = objectOf(fileSystem);
  const paths = [...listOf(write), ...listOf(read)].filter((path) => typeof path === "string");
  const wanted = [paths.length > 0 ? paths.join(", ") : "", objectOf(network).enabled === true ? "the network" : ""];
  const title = `Grant access to ${wanted.filter((part) => part !== "").join(" and ") || "more"}`;
  return action(title, "other", { paths, cwd: textOf(params.cwd) });
}

const action = (permissionTitle: string, actionType: ToolKind, actionDetails: Action["actionDetails"]): Action => ({
  permissionTitle,
  actionType,
  actionDetails,
});

function question(state: CodexState, ask: Ask): EventOf<"question_request"> {
  return {
    type: "question_request",
    pendingId: pendingIdOf(ask.id),
    turn: state.turn?.id,
    toolCallId: ask.itemId,
    message: textOf(ask.params.message),
    questions: [...ask.questions],
    url: textOf(ask.params.url),
  };
}

function questionsIn(params: Json): Question[] {
  return listOf(params.questions).map((item) => {
    const { id, header, question, isOther, isSecret, options } = objectOf(item);
    const choices = listOf(options).map((option) => {
      const label = textOf(objectOf(option).label) ?? "";
      return { value: label, label, description: textOf(objectOf(option).description) };
    });
    return {
      id: textOf(id) ?? "",
      text: textOf(question) ?? "",
      header: textOf(header),
      answer: choices.length > 0 ? "choice" : "text",
      choices: choices.length > 0 ? choices : undefined,
      allowOther: isOther === true ? true : undefined,
      secret: isSecret === true ? true : undefined,
    };
  });
}

const listed = (answers: Readonly<Record<string, readonly string[]>>): Json =>
  Object.fromEntries(Object.entries(answers).map(([id, values]) => [id, { answers: values }]));

function granted({ params }: Ask, option: PermissionOption): Json {
  if (option === deny) return { permissions: {}, scope: "turn" };
  const wanted = Object.entries(objectOf(params.permissions)).filter(([, value]) => value !== null);
  return { permissions: Object.fromEntries(wanted), scope: option === always ? "session" : "turn" };
}

function mcpDecision(option: PermissionOption): Json {
  if (option === deny) return { action: "decline", content: null, _meta: null };
  return { action: "accept", content: {}, _meta: option === always ? { persist: "session" } : null };
}

function verdictIn(ask: Ask, result: Json): Pick<EventOf<"request_resolved">, "outcome" | "optionId"> {
  switch (ask.kind) {
    case "questions":
      return { outcome: Object.keys(objectOf(result.answers)).length > 0 ? "answered" : "denied" };
    case "elicitation":
      return { outcome: result.action === "accept" ? "answered" : "denied" };
    case "mcpTool": {
      const kept = objectOf(result._meta).persist !== undefined;
      return result.action === "accept" ? allowed(kept) : { outcome: "denied", optionId: deny.id };
    }
    case "permissions": {
      const isGranted = Object.keys(objectOf(result.permissions)).length > 0;
      return isGranted ? allowed(result.scope === "session") : { outcome: "denied", optionId: deny.id };
    }
    case "decision": {
      const decision = textOf(result.decision);
      if (decision === deny.id || decision === denyAndStop.id) return { outcome: "denied", optionId: decision };
      return allowed(decision !== allow.id);
    }
  }
}

const allowed = (kept: boolean) => ({ outcome: "allowed", optionId: kept ? always.id : allow.id }) as const;

const settled = (state: CodexState, pendingId: string): CodexState => ({
  ...state,
  asks: new Map(state.asks).set(pendingId, "closed"),
});
