import type { Answer, CommandOf } from "../commands.ts";
import { AppError } from "../errors.ts";
import type { EventOf, PermissionOption, Question } from "../events.ts";
import type { OpenRequest } from "../sessions/transcript.ts";

/** What a person says to a request: the answer for now, and what is decided for good, if anything is. */
export type Reply = Pick<CommandOf<"answer">, "answer" | "remember">;

/** What is said to a permission most, whatever the agent calls its options. */
export const words = ["allow", "always", "deny"] as const;
export type Word = (typeof words)[number];

type Permission = EventOf<"permission_request">;
type Values = { values: string[] } | { problem: string };

/** What somebody typed, as the reply to a request; refused with what would fit. */
export function replyFrom(
  request: OpenRequest,
  typed: readonly string[],
  { canRemember, reason }: { canRemember: boolean; reason?: string },
): Reply {
  return request.type === "permission_request"
    ? permissionReply(request, typed, canRemember, reason)
    : { answer: answersTo(request, typed) };
}

/**
 * What one of the usual words means here; `undefined` where it can't be said. They go by an option's kind, never by its label: an
 * agent chooses its labels. "always" is a rule of ours where one can say the action exactly (`canRemember`): what an agent
 * calls always may be more than the person reads.
 */
export function replyOf(
  { permissionOptions }: Permission,
  word: Word,
  canRemember: boolean,
  reason = "",
): Reply | undefined {
  const option = optionOf(permissionOptions, word);
  switch (word) {
    case "allow":
      return option && { answer: choosing(option, reason) };
    case "always": {
      if (!canRemember) return option && { answer: choosing(option, reason) };
      const yes = optionOf(permissionOptions, "allow") ?? option;
      return yes && { answer: choosing(yes, reason), remember: "allow" };
    }
    case "deny":
      // An agent that offers no way to refuse is refused all the same.
      return { answer: option === undefined ? declining(reason) : choosing(option, reason) };
  }
}

/** The agent's option that is meant by a word, in its own words. */
export function optionOf(options: readonly PermissionOption[], word: Word): PermissionOption | undefined {
  const kinds = { allow: ["allow_once"], always: ["allow_always"], deny: ["reject_once", "reject_always"] } as const;
  for (const kind of kinds[word]) {
    const option = options.find((candidate) => candidate.kind === kind);
    if (option !== undefined) return option;
  }
  return undefined;
}

/** This option of the agent's, and no other. */
export const choosing = ({ id }: Pick<PermissionOption, "id">, reason = ""): Answer =>
  reason === "" ? { optionId: id } : { optionId: id, reason };

/** What such an answer is, in a word. */
export function outcomeOf(request: OpenRequest, { answer }: Reply): "allowed" | "denied" | "answered" | "declined" {
  if ("decline" in answer) return "declined";
  if ("answers" in answer || request.type !== "permission_request") return "answered";
  const option = request.permissionOptions.find(({ id }) => id === answer.optionId);
  return option?.kind.startsWith("reject") ? "denied" : "allowed";
}

/** No, or no answer. */
export const declining = (reason = ""): Answer => (reason === "" ? { decline: true } : { decline: true, reason });

/** Whether a reason is only for the record. */
export const isDeafTo = (request: OpenRequest | undefined): boolean =>
  request?.type === "permission_request" && request.takesReason === false;

/** What a typed text means as the answer to one question. */
export function valuesFrom(question: Question, text: string): Values {
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

/** Values from a form, where choices are ticked and not typed. */
export function answersOf(
  { questions }: EventOf<"question_request">,
  given: Readonly<Record<string, readonly string[] | undefined>>,
): Answer {
  return { answers: Object.fromEntries(questions.map(({ id }) => [id, [...(given[id] ?? [])]])) };
}

/** Whether a form says enough: nothing ticked of several choices is an answer too. */
export function isAnswered(
  { questions }: EventOf<"question_request">,
  given: Readonly<Record<string, readonly string[] | undefined>>,
): boolean {
  return questions.every(({ id, answer }) => answer === "choices" || (given[id]?.[0] ?? "") !== "");
}

function permissionReply(
  request: Permission,
  typed: readonly string[],
  canRemember: boolean,
  reason: string | undefined,
): Reply {
  const [word = "", extra] = typed;
  const options = request.permissionOptions;
  const unfit = (why: string) => {
    const usual = words.filter((each) => replyOf(request, each, canRemember) !== undefined).join(", ");
    const others = options.map(({ id, label }) => `${id} (${onOneLine(label)})`).join(", ");
    return new AppError("usage.invalid", `request ${request.pendingId}: ${why}; use ${usual}, or one of ${others}`);
  };
  if (extra !== undefined && isWord(word)) throw unfit("takes one answer; say why with --reason");
  if (word === "" || extra !== undefined) throw unfit("takes one answer");
  if (isWord(word)) {
    const reply = replyOf(request, word, canRemember, reason);
    if (reply !== undefined) return reply;
  } else {
    const option = namedOption(options, word);
    if (option !== undefined) return { answer: choosing(option, reason) };
  }
  throw unfit(`no answer ${JSON.stringify(word)}`);
}

const isWord = (text: string): text is Word => words.some((word) => word === text);

function namedOption(options: readonly PermissionOption[], word: string): PermissionOption | undefined {
  const byId = options.find((option) => option.id === word);
  if (byId !== undefined) return byId;
  const byLabel = options.filter((option) => looksLike(option.label, word));
  return byLabel.length === 1 ? byLabel[0] : byNumber(options, word);
}

function answersTo(request: EventOf<"question_request">, typed: readonly string[]): Answer {
  const { questions, pendingId } = request;
  if (typed.length !== questions.length) {
    const list = questions.map((question, index) => `${index + 1}. ${onOneLine(question.text)}`).join("  ");
    throw new AppError(
      "usage.invalid",
      `request ${pendingId}: has ${questions.length} question(s), got ${typed.length} answer(s); one each, in order: ${list}`,
    );
  }
  const answers: Record<string, string[]> = {};
  for (const [index, question] of questions.entries()) {
    const result = valuesFrom(question, typed[index] ?? "");
    if ("problem" in result) {
      throw new AppError("usage.invalid", `request ${pendingId}: ${onOneLine(question.text)}: ${result.problem}`);
    }
    answers[question.id] = result.values;
  }
  return { answers };
}

function booleanValue(text: string): Values {
  if (/^(y|yes|true|1)$/i.test(text)) return { values: ["true"] };
  if (/^(n|no|false|0)$/i.test(text)) return { values: ["false"] };
  return { problem: "answer yes or no" };
}

function chosen(question: Question, wanted: readonly string[]): Values {
  const choices = question.choices ?? [];
  const values: string[] = [];
  for (const want of wanted) {
    const choice =
      choices.find(({ value }) => value === want) ??
      choices.find(({ label }) => looksLike(label, want)) ??
      byNumber(choices, want);
    if (choice === undefined && !(question.allowOther && want !== "")) {
      const offered = choices.map(({ label }, index) => `${index + 1} ${onOneLine(label)}`).join(", ");
      return {
        problem: want === "" ? `choose one of ${offered}` : `no choice ${JSON.stringify(want)}; choose from ${offered}`,
      };
    }
    values.push(choice?.value ?? want);
  }
  return { values: [...new Set(values)] };
}

/** As a person reads it: on one line, in any case, without what a terminal wouldn't show. */
const looksLike = (a: string, b: string) => asRead(a) === asRead(b);
const asRead = (text: string) =>
  onOneLine(text)
    .replace(/\p{Cc}/gu, "")
    .toLowerCase();

/** What may be shown on a terminal at all is decided where it is shown. */
const onOneLine = (text: string) => text.replace(/\s+/g, " ").trim();

function byNumber<T>(list: readonly T[], text: string): T | undefined {
  return /^[1-9]\d*$/.test(text) ? list[Number(text) - 1] : undefined;
}
