import type { ElicitationPropertySchema } from "@agentclientprotocol/sdk";
import type { Answer } from "../../contract/commands.ts";
import type { EventOf, Question } from "../../contract/events.ts";
import { answersOf } from "../../contract/requests/reply.ts";
import { revealed } from "../../lib/text/printable.ts";

/** Questions as a form, for editors that have forms. */
export function formOf({ message, questions }: EventOf<"question_request">) {
  const properties = Object.fromEntries(questions.map((question) => [question.id, propertyOf(question)]));
  return {
    mode: "form" as const,
    message: revealed(message ?? questions.map(({ text }) => text).join("\n")),
    requestedSchema: { type: "object" as const, properties, required: questions.map(({ id }) => id) },
  };
}

function propertyOf({ text, answer, choices = [], allowOther }: Question): ElicitationPropertySchema {
  const title = revealed(text);
  if (answer === "number") return { type: "number", title };
  if (answer === "boolean") return { type: "boolean", title };
  const oneOf = choices.map(({ value, label }) => ({ const: value, title: revealed(label) }));
  // An answer of one's own doesn't fit a list.
  if (oneOf.length === 0 || allowOther) return { type: "string", title };
  if (answer === "choices") return { type: "array", title, items: { anyOf: oneOf } };
  return { type: "string", title, oneOf };
}

/** What came back, in the words our own questions are answered with. */
export function answerOf(request: EventOf<"question_request">, content: unknown): Answer {
  const given = typeof content === "object" && content !== null ? (content as Record<string, unknown>) : {};
  return answersOf(request, Object.fromEntries(Object.entries(given).map(([id, value]) => [id, valuesOf(value)])));
}

function valuesOf(value: unknown): string[] {
  const isOne = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return Array.isArray(value) ? value.map(String) : isOne ? [String(value)] : [];
}
