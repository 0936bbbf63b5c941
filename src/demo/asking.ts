import type { ElicitationPropertySchema, PermissionOption, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { Cancelled, type Turn } from "./turn.ts";

/** The ids differ from the kinds on purpose: a client that mixes them up is found out here. */
const options = [
  { optionId: "allow-once", name: "Yes", kind: "allow_once" },
  { optionId: "allow-always", name: "Yes, and don't ask again in this session", kind: "allow_always" },
  { optionId: "reject-once", name: "No", kind: "reject_once" },
] as const satisfies PermissionOption[];

type PermissionAnswer = (typeof options)[number]["optionId"];

/** An answer of `cancelled` ends the turn: the client sends it with, or just before, its `session/cancel`. */
export async function askPermission(turn: Turn, toolCall: ToolCallUpdate): Promise<PermissionAnswer> {
  const params = { sessionId: turn.session.id, toolCall, options: [...options] };
  const { outcome } = await turn.request("session/request_permission", params);
  if (outcome.outcome === "cancelled") throw new Cancelled();
  const chosen = options.find(({ optionId }) => optionId === outcome.optionId);
  if (!chosen) throw new Error(`the client chose ${outcome.optionId}, which was not offered`);
  return chosen.optionId;
}

type QuestionAnswer = { answer: string } | { answer: undefined; because: "declined" | "cancelled" | "unsupported" };

/** Without choices the answer is free text. */
export async function askQuestion(turn: Turn, text: string, choices: readonly string[]): Promise<QuestionAnswer> {
  if (!turn.stage.canAnswer) return { answer: undefined, because: "unsupported" };
  const oneOf = choices.map((choice) => ({ const: choice, title: choice }));
  const answer: ElicitationPropertySchema = { type: "string", title: text, ...(oneOf.length > 0 && { oneOf }) };
  const result = await turn.request("elicitation/create", {
    sessionId: turn.session.id,
    mode: "form",
    message: text,
    requestedSchema: { type: "object", properties: { answer }, required: ["answer"] },
  });
  if (result.action === "accept") return { answer: answerIn(result.content) };
  return { answer: undefined, because: result.action === "decline" ? "declined" : "cancelled" };
}

function answerIn(content: unknown): string {
  const isForm = typeof content === "object" && content !== null && "answer" in content;
  if (!isForm || typeof content.answer !== "string")
    throw new Error("the client accepted the question without an answer");
  return content.answer;
}
