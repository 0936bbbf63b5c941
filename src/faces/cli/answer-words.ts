import type { Answer } from "../../contract/commands.ts";
import { AppError } from "../../contract/errors.ts";
import type { EventOf, PermissionOption, Question } from "../../contract/events.ts";
import type { OpenRequest } from "../../contract/runs/transcript.ts";
import { oneLine } from "../../lib/text/printable.ts";
import { optionOf, type Word } from "./view/lines/request-lines.ts";

/** The words of a person as the answer to a request; refused with what would fit. */
export function answerFrom(request: OpenRequest, words: readonly string[], reason?: string): Answer {
  return request.type === "permission_request"
    ? permissionAnswer(request, words, reason)
    : questionAnswer(request, words);
}

/** What a typed text means as the answer to one question. */
export function valuesFrom(question: Question, text: string): { values: string[] } | { problem: string } {
  const given = text.trim();
  switch (question.answer) {
    case "boolean":
      return booleanValue(given);
    case "number":
      return given !== "" && Number.isFinite(Number(given)) ? { values: [given] } : { problem: "a number is needed" };
    case "text":
      return { values: [text] };
    case "choice":
      return chosen(question, [given]);
    case "choices":
      return chosen(question, given === "" ? [] : given.split(",").map((part) => part.trim()));
  }
}

const isWord = (text: string): text is Word => text === "allow" || text === "always" || text === "deny";

function permissionAnswer(
  request: EventOf<"permission_request">,
  words: readonly string[],
  reason: string | undefined,
): Answer {
  const [word = "", extra] = words;
  const options = request.permissionOptions;
  if (word === "" || extra !== undefined) throw unfit(request, "takes one answer", options);
  const withReason = reason === undefined ? {} : { reason };
  const option = isWord(word) ? optionOf(options, word) : namedOption(options, word);
  if (option !== undefined) return { optionId: option.id, ...withReason };
  // An agent that offers no way to refuse is refused all the same.
  if (word === "deny") return { decline: true, ...withReason };
  throw unfit(request, `no answer ${JSON.stringify(oneLine(word))}`, options);
}

/** Our three words go by the option's kind, never by its label: an agent chooses its labels. */
function namedOption(options: readonly PermissionOption[], word: string): PermissionOption | undefined {
  const byId = options.find((option) => option.id === word);
  if (byId !== undefined) return byId;
  const byLabel = options.filter((option) => sameWords(option.label, word));
  return byLabel.length === 1 ? byLabel[0] : byNumber(options, word);
}

function unfit(request: EventOf<"permission_request">, why: string, options: readonly PermissionOption[]): AppError {
  const words = (["allow", "always"] as const).filter((word) => optionOf(options, word) !== undefined);
  const others = options.map((option) => `${option.id} (${oneLine(option.label)})`).join(", ");
  return new AppError(
    "usage.invalid",
    `request ${oneLine(request.pendingId)}: ${why}; use ${[...words, "deny"].join(", ")}, or one of ${others}`,
  );
}

function questionAnswer(request: EventOf<"question_request">, words: readonly string[]): Answer {
  const { questions, pendingId } = request;
  if (words.length !== questions.length) {
    const list = questions.map((question, index) => `${index + 1}. ${oneLine(question.text)}`).join("  ");
    throw new AppError(
      "usage.invalid",
      `request ${oneLine(pendingId)}: has ${questions.length} question(s), got ${words.length} answer(s); one each, in order: ${list}`,
    );
  }
  const answers: Record<string, string[]> = {};
  for (const [index, question] of questions.entries()) {
    const result = valuesFrom(question, words[index] ?? "");
    if ("problem" in result) {
      throw new AppError(
        "usage.invalid",
        `request ${oneLine(pendingId)}: ${oneLine(question.text)}: ${result.problem}`,
      );
    }
    answers[question.id] = result.values;
  }
  return { answers };
}

function booleanValue(text: string): { values: string[] } | { problem: string } {
  if (/^(y|yes|true|1)$/i.test(text)) return { values: ["true"] };
  if (/^(n|no|false|0)$/i.test(text)) return { values: ["false"] };
  return { problem: "answer yes or no" };
}

function chosen(question: Question, wanted: readonly string[]): { values: string[] } | { problem: string } {
  const choices = question.choices ?? [];
  const values: string[] = [];
  for (const want of wanted) {
    const choice =
      choices.find(({ value }) => value === want) ??
      choices.find(({ label }) => sameWords(label, want)) ??
      byNumber(choices, want);
    if (choice === undefined && !(question.allowOther && want !== "")) {
      const offered = choices.map(({ label }, index) => `${index + 1} ${oneLine(label)}`).join(", ");
      return {
        problem: want === "" ? `choose one of ${offered}` : `no choice ${JSON.stringify(want)}; choose from ${offered}`,
      };
    }
    values.push(choice?.value ?? want);
  }
  return { values: [...new Set(values)] };
}

const sameWords = (a: string, b: string) => oneLine(a).toLowerCase() === oneLine(b).toLowerCase();

function byNumber<T>(list: readonly T[], text: string): T | undefined {
  return /^[1-9]\d*$/.test(text) ? list[Number(text) - 1] : undefined;
}
