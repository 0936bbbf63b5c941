import type { EventOf, PermissionOption, Question } from "../../../../contract/events.ts";
import { choosing, declining, optionOf, type Reply, replyOf, valuesFrom } from "../../../../contract/requests/reply.ts";
import type { OpenRequest } from "../../../../contract/sessions/transcript.ts";
import { revealedLine } from "../../../../lib/text/printable.ts";
import { type Draft, edit, emptyDraft } from "./draft.ts";
import type { Key } from "./keys.ts";

/** How far a person has come with the answer to one request. */
export type Answering =
  | { stage: "choose" }
  | Typing
  /** Nobody waits for it any more. What is typed stays text all the same: its next letter must not allow the next request. */
  | { stage: "over"; because: string; was: Typing };

/** Where letters are text. */
type Typing =
  /** Denied; why is optional. */
  | { stage: "reason"; option: PermissionOption | undefined; draft: Draft }
  | {
      stage: "question";
      index: number;
      answers: Readonly<Record<string, string[]>>;
      /** Of a question with several choices, what is ticked. */
      picked: readonly string[];
      draft: Draft;
      problem?: string;
    };

/** A yes to what was not all on the screen is no yes: more of it is shown, and the person asked again. */
export type Pressed = { next: Answering } | { reply: Reply } | { show: "more" } | { leave: "it" };

/** How it can be answered: by a yes, when all of it was seen, and by a rule or not. */
export interface Means {
  isRead?: boolean;
  canRemember?: boolean;
}

export function beginAnswering(request: OpenRequest): Answering {
  return request.type === "permission_request" ? { stage: "choose" } : atQuestion(0, {});
}

/** The request is gone, for this reason. Only where something is being typed anything of it is left. */
export function gone(answering: Answering, because: string): Answering | undefined {
  if (answering.stage === "over") return answering;
  const isTyping = answering.stage === "reason" || (answering.stage === "question" && answering.draft.text !== "");
  return isTyping ? { stage: "over", because, was: answering } : undefined;
}

/** Whether another question is asked now, one that a single key answers: the key for the last one was not meant for it. */
export function isAskedAnew(request: OpenRequest, before: Answering, after: Answering): boolean {
  if (before.stage !== "question" || after.stage !== "question" || request.type !== "question_request") return false;
  const kind = request.questions[after.index]?.answer;
  return before.index !== after.index && kind !== "text" && kind !== "number";
}

/** One key further. A key that means nothing here changes nothing. */
export function press(
  request: OpenRequest,
  answering: Answering,
  key: Key,
  { isRead = true, canRemember = false }: Means = {},
): Pressed {
  switch (answering.stage) {
    case "choose": {
      const pressed = choose(request, answering, key, { isRead, canRemember });
      return "reply" in pressed && !isRead ? { show: "more" } : pressed;
    }
    case "reason":
      return giveReason(answering, key);
    case "question":
      return request.type === "question_request" ? answerQuestion(request, answering, key) : { next: answering };
    case "over": {
      if (key.key === "escape" || key.key === "enter") return { leave: "it" };
      const { was } = answering;
      return { next: { ...answering, was: { ...was, draft: edit(was.draft, key) } } };
    }
  }
}

/** What a key would decide all by itself, in words. Nothing, where it only types, ticks, shows or goes back. */
export function decisionOf(request: OpenRequest, answering: Answering, key: Key, means: Means): string | undefined {
  if (key.key !== "text" && key.key !== "escape") return undefined;
  const pressed = press(request, answering, key, means);
  const isNext = "next" in pressed && hasDecided(answering, pressed.next);
  if (!isNext && !("reply" in pressed)) return undefined;
  if (key.key !== "text") return "decline";
  if (request.type === "permission_request") return meaningOf(request.permissionOptions, key.text);
  const question = answering.stage === "question" ? request.questions[answering.index] : undefined;
  const value = question && quickValue(question, key.text);
  const label = question?.choices?.find((choice) => choice.value === value)?.label;
  return `answer ${label === undefined ? (value === "true" ? "yes" : "no") : revealedLine(label)}`;
}

const hasDecided = (before: Answering, after: Answering): boolean =>
  (before.stage === "choose" && after.stage === "reason") ||
  (before.stage === "question" && after.stage === "question" && before.index !== after.index);

const usual: Readonly<Record<string, string>> = { a: "allow once", A: "always allow", d: "deny" };

const meaningOf = (options: readonly PermissionOption[], letter: string): string =>
  usual[letter] ?? revealedLine(options[Number(letter) - 1]?.label ?? "");

function choose(
  request: OpenRequest,
  answering: Answering,
  key: Key,
  { isRead, canRemember }: Required<Means>,
): Pressed {
  // What is pasted was not meant for us: no letter of it may allow anything.
  if (request.type !== "permission_request" || key.key !== "text" || key.pasted) return { next: answering };
  const options = request.permissionOptions;
  switch (key.text) {
    case " ":
      return isRead ? { next: answering } : { show: "more" };
    case "a":
      return taken(replyOf(request, "allow", canRemember), answering);
    case "A":
      return taken(replyOf(request, "always", canRemember), answering);
    case "d":
      return { next: { stage: "reason", option: optionOf(options, "deny"), draft: emptyDraft } };
    default: {
      const option = /^[1-9]$/.test(key.text) ? options[Number(key.text) - 1] : undefined;
      if (option?.kind.startsWith("reject")) return { next: { stage: "reason", option, draft: emptyDraft } };
      return taken(option && { answer: choosing(option) }, answering);
    }
  }
}

const taken = (reply: Reply | undefined, answering: Answering): Pressed =>
  reply === undefined ? { next: answering } : { reply };

function giveReason(answering: Extract<Answering, { stage: "reason" }>, key: Key): Pressed {
  if (key.key === "escape") return { next: { stage: "choose" } };
  if (key.key !== "enter") return { next: { ...answering, draft: edit(answering.draft, key) } };
  const reason = answering.draft.text.trim();
  return { reply: { answer: answering.option === undefined ? declining(reason) : choosing(answering.option, reason) } };
}

type AtQuestion = Extract<Answering, { stage: "question" }>;

const atQuestion = (index: number, answers: AtQuestion["answers"]): AtQuestion => ({
  stage: "question",
  index,
  answers,
  picked: [],
  draft: emptyDraft,
});

function answerQuestion(request: EventOf<"question_request">, at: AtQuestion, key: Key): Pressed {
  const question = request.questions[at.index];
  // A request without questions only wants to be acknowledged.
  if (question === undefined) return key.key === "enter" ? { reply: { answer: { answers: {} } } } : { next: at };
  const isEmpty = at.draft.text === "";
  if (key.key === "escape")
    return isEmpty ? { reply: { answer: declining() } } : { next: { ...at, draft: emptyDraft } };
  if (key.key === "enter") return confirm(request, question, at);
  const quick = isEmpty && key.key === "text" && !key.pasted ? quickValue(question, key.text) : undefined;
  if (quick === undefined) return { next: { ...at, draft: edit(at.draft, key), problem: undefined } };
  if (question.answer !== "choices") return answered(request, at, question, [quick]);
  const picked = at.picked.includes(quick) ? at.picked.filter((value) => value !== quick) : [...at.picked, quick];
  return { next: { ...at, picked, problem: undefined } };
}

/** One key that is a whole answer: the number of a choice, y or n. */
function quickValue({ answer, choices = [] }: Question, text: string): string | undefined {
  if (answer === "boolean") return /^y$/i.test(text) ? "true" : /^n$/i.test(text) ? "false" : undefined;
  if (answer !== "choice" && answer !== "choices") return undefined;
  // With ten or more, "1" could be the beginning of "12".
  return choices.length <= 9 && /^[1-9]$/.test(text) ? choices[Number(text) - 1]?.value : undefined;
}

function confirm(request: EventOf<"question_request">, question: Question, at: AtQuestion): Pressed {
  if (question.answer === "choices" && at.draft.text === "") return answered(request, at, question, [...at.picked]);
  const result = valuesFrom(question, at.draft.text);
  if ("problem" in result) return { next: { ...at, problem: result.problem } };
  return answered(request, at, question, [...new Set([...at.picked, ...result.values])]);
}

function answered(request: EventOf<"question_request">, at: AtQuestion, question: Question, values: string[]): Pressed {
  const answers = { ...at.answers, [question.id]: values };
  return at.index + 1 < request.questions.length
    ? { next: atQuestion(at.index + 1, answers) }
    : { reply: { answer: { answers } } };
}
