import type { EventOf } from "../../../../contract/events.ts";
import { isDeafTo, optionOf, replyOf } from "../../../../contract/requests/reply.ts";
import type { OpenRequest } from "../../../../contract/sessions/transcript.ts";
import { columnsOf, fit, fitEnd, hanging, wrap } from "../../../../lib/command/columns.ts";
import type { Page } from "../../../../lib/command/paint.ts";
import { oneLine, printable, revealedLine } from "../../../../lib/text/printable.ts";
import { renderQuestion } from "../lines/request-lines.ts";
import type { Footer, Sheet } from "../terminal/sheet.ts";
import type { Answering } from "./answering.ts";
import type { Draft } from "./draft.ts";
import type { Focus } from "./keyboard.ts";

/** How it can be answered now: by a yes at once or not, and by a rule or not. */
export interface Ways {
  isCut?: boolean;
  canRemember?: boolean;
}

/** The room inside of the box. */
export const boxPage = (page: Page): Page => ({ ...page, width: Math.max(page.width - 3, 1) });

/** What is in the box: the request, in the lines that are to be shown of it, and the keys that answer it. */
export function boxSheet({ request, answering }: Focus, lines: readonly string[], inner: Page, ways: Ways): Sheet {
  const { more, ...foot } = footOf(request, answering, inner, ways);
  return { id: "", asks: "", head: [], body: [...lines, ...renderStage(request, answering, inner), ...more], ...foot };
}

/** The keys, or what is typed and where; `more` are several options of an agent's own, for which it may have no room. */
export function footOf(
  request: OpenRequest,
  answering: Answering,
  page: Page,
  ways: Ways,
): Pick<Sheet, "foot" | "cursor" | "before"> & { more: string[] } {
  const words = renderWays(request, answering, page, ways);
  const typed = renderTyped(request, answering, page);
  if (typed !== undefined) return { more: [], foot: [...words, typed.line], cursor: typed.column };
  return { more: words.slice(0, -1), foot: words.slice(-1), before: "before a yes" };
}

/** Around what is in it. `others` wait behind it. */
export function frame({ lines, cursor }: Footer, { request, others }: Focus, { width, paint }: Page): Footer {
  const { box, more } = paint.marks;
  const kind = request.type === "permission_request" ? "permission" : "question";
  const behind = others > 0 ? ` (${others} more after this)` : "";
  const framed = [
    paint.yellow(fit(`${box.top} ${kind}${behind}`, width, more)),
    ...lines.map((line, index) => `${paint.yellow(index + 1 < lines.length ? box.side : box.bottom)} ${line}`),
  ];
  return cursor === undefined
    ? { lines: framed }
    : { lines: framed, cursor: { row: cursor.row + 1, column: cursor.column + 2 } };
}

/** `> what is being typed`, cut so that the cursor stays in sight. */
export function renderDraft(draft: Draft, { width, paint }: Page, secret = false): { line: string; column: number } {
  const { marks } = paint;
  const shown = (characters: readonly string[]) =>
    secret ? marks.secret.repeat(characters.length) : printable(characters.join("")).replace(/\n/g, marks.enter);
  const characters = Array.from(draft.text);
  const room = Math.max(width - columnsOf(PROMPT) - 1, 1);
  const before = fitEnd(shown(characters.slice(0, draft.cursor)), room, marks.more);
  const after = fit(shown(characters.slice(draft.cursor)), room - columnsOf(before), marks.more);
  return { line: `${PROMPT}${before}${after}`, column: columnsOf(PROMPT) + columnsOf(before) };
}

const PROMPT = "> ";

export function renderStage(request: OpenRequest, answering: Answering, page: Page): string[] {
  if (answering.stage === "over") return renderStage(request, answering.was, page);
  if (answering.stage !== "question" || request.type !== "question_request") return [];
  const question = request.questions[answering.index];
  if (question === undefined) return [];
  const count =
    request.questions.length > 1
      ? [page.paint.dim(`question ${answering.index + 1} of ${request.questions.length}`)]
      : [];
  const problem =
    answering.problem === undefined ? [] : wrap(oneLine(answering.problem), page.width).map(page.paint.red);
  return [...count, ...renderQuestion(question, page, answering.picked), ...problem];
}

/** The keys, or what to type. */
function renderWays(request: OpenRequest, answering: Answering, page: Page, ways: Ways): string[] {
  const { paint, width } = page;
  if (answering.stage === "over") {
    return wrap(`${answering.because}; your text goes nowhere: Esc or Enter goes on`, width).map(paint.red);
  }
  if (answering.stage === "reason") {
    const whom = isDeafTo(request) ? " For the record: the agent can't be told." : "";
    return wrap(`denied; why?${whom} Enter sends, Esc: back`, width).map(paint.dim);
  }
  if (request.type === "permission_request") {
    const words = ways.isCut ? wrap("a yes first shows all of it", width).map(paint.dim) : [];
    return [...words, ...renderKeys(request, page, ways)];
  }
  const question = answering.stage === "question" ? request.questions[answering.index] : undefined;
  const hint = question === undefined ? "[Enter] continue" : `${hints[question.answer]}  [Esc] decline`;
  return wrap(hint, width).map(paint.dim);
}

function renderTyped(
  request: OpenRequest,
  answering: Answering,
  page: Page,
): ReturnType<typeof renderDraft> | undefined {
  if (answering.stage === "choose") return undefined;
  if (answering.stage === "over") return renderTyped(request, answering.was, page);
  const question =
    answering.stage === "question" && request.type === "question_request"
      ? request.questions[answering.index]
      : undefined;
  return renderDraft(answering.draft, page, question?.secret === true);
}

const hints = {
  choice: "press a number, or type",
  choices: "press numbers, then Enter",
  text: "type an answer, then Enter",
  number: "type a number, then Enter",
  boolean: "[y]es or [n]o",
} as const;

/** The three usual ways by letter; what an agent offers beyond them by number. */
function renderKeys(
  request: EventOf<"permission_request">,
  { width, paint }: Page,
  { canRemember = false }: Ways,
): string[] {
  const options = request.permissionOptions;
  const usual = (
    [
      ["allow", "[a]llow once"],
      ["always", "[A]lways"],
      ["deny", "[d]eny"],
    ] as const
  ).filter(([word]) => replyOf(request, word, canRemember) !== undefined);
  const known = new Set(usual.map(([word]) => optionOf(options, word)?.id));
  const others = options.flatMap((option, index) =>
    known.has(option.id) || index > 8 ? [] : hanging(`[${index + 1}] `, revealedLine(option.label), width),
  );
  return [...others, paint.bold(fit(usual.map(([, label]) => label).join("  "), width, paint.marks.more))];
}
