import type { Answer } from "../../../contract/commands.ts";
import type { Choice, EventOf, Question } from "../../../contract/events.ts";
import { type Json, listOf, objectOf, textOf } from "../read.ts";

/** `elicitation/create` (a form, or a page to open) as questions. */
export function questionsOf(
  params: Json,
): Pick<EventOf<"question_request">, "message" | "questions" | "url" | "toolCallId"> {
  const properties = Object.entries(objectOf(objectOf(params.requestedSchema).properties));
  const questions = properties.map(([id, schema]) => question(id, objectOf(schema)));
  const url = textOf(params.url);
  const confirm: Question = { id: "done", text: "Open the page, then continue?", answer: "boolean" };
  return {
    message: textOf(params.message),
    questions: questions.length > 0 ? questions : [confirm],
    url,
    toolCallId: textOf(params.toolCallId),
  };
}

function question(id: string, schema: Json): Question {
  const text = textOf(schema.title) ?? textOf(schema.description) ?? id;
  const header = textOf(schema.title) !== undefined ? textOf(schema.description) : undefined;
  const choices = choicesOf(schema);
  switch (schema.type) {
    case "boolean":
      return { id, text, header, answer: "boolean" };
    case "number":
    case "integer":
      return { id, text, header, answer: "number" };
    case "array":
      return { id, text, header, answer: "choices", choices: choicesOf(objectOf(schema.items)) };
    default:
      return choices.length > 0
        ? { id, text, header, answer: "choice", choices }
        : { id, text, header, answer: "text" };
  }
}

function choicesOf(schema: Json): Choice[] {
  const titled = [...listOf(schema.oneOf), ...listOf(schema.anyOf)].flatMap((item) => {
    const option = objectOf(item);
    const value = textOf(option.const);
    if (value === undefined) return [];
    return [{ value, label: textOf(option.title) ?? value, description: textOf(option.description) }];
  });
  if (titled.length > 0) return titled;
  return listOf(schema.enum).flatMap((value) => (typeof value === "string" ? [{ value, label: value }] : []));
}

/** The answer as the form wants it: numbers as numbers, several choices as a list. */
export function elicitationResult(questions: readonly Question[], answer: Answer | undefined): Json {
  if (answer === undefined) return { action: "cancel" };
  if (!("answers" in answer)) return { action: "decline" };
  const content: Record<string, unknown> = {};
  for (const { id, answer: kind } of questions) {
    const values = answer.answers[id];
    if (values === undefined) continue;
    const first = values[0] ?? "";
    if (kind === "choices") content[id] = values;
    else if (kind === "number") content[id] = Number(first);
    else if (kind === "boolean") content[id] = /^(y|yes|true|1)$/i.test(first);
    else content[id] = first;
  }
  return { action: "accept", content };
}
