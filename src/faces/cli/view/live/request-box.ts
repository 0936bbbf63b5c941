import type { EventOf } from "../../../../contract/events.ts";
import { optionOf, replyOf } from "../../../../contract/requests/reply.ts";
import type { OpenRequest } from "../../../../contract/runs/transcript.ts";
import { columnsOf, fit, fitEnd, wrap } from "../../../../lib/command/columns.ts";
import type { Page } from "../../../../lib/command/paint.ts";
import { oneLine, printable, revealedLine } from "../../../../lib/text/printable.ts";
import { isCut, renderQuestion, renderRequest } from "../lines/request-lines.ts";
import type { Answering } from "./answering.ts";
import type { Draft } from "./draft.ts";

/** Lines at the bottom of the screen, and where the cursor stands in them. */
export interface Footer {
  lines: string[];
  cursor?: { row: number; column: number };
}

/** How it can be answered now: by a yes at once or not, and by a rule or not. */
export interface Ways {
  isCut?: boolean;
  canRemember?: boolean;
}

/** The request that is being answered, with the keys that answer it. `others` wait behind it. */
export function renderBox(
  request: OpenRequest,
  answering: Answering,
  others: number,
  page: Page,
  ways: Ways = {},
): Footer {
  const { paint } = page;
  const inner = boxPage(page);
  const more = others > 0 ? ` (${others} more after this)` : "";
  const kind = request.type === "permission_request" ? "permission" : "question";
  const typed = renderTyped(request, answering, inner);
  const body = [
    ...renderRequest(request, inner),
    ...renderStage(request, answering, inner),
    ...renderWays(request, answering, inner, ways),
    ...(typed === undefined ? [] : [typed.line]),
  ];
  const lines = [
    paint.yellow(fit(`┌ ${kind}${more}`, page.width)),
    ...body.map((line, index) => `${paint.yellow(index + 1 < body.length ? "│" : "└")} ${line}`),
  ];
  return typed === undefined ? { lines } : { lines, cursor: { row: lines.length - 1, column: 2 + typed.column } };
}

/** Whether a box on a screen of so many rows leaves out something that would be allowed: by an excerpt, or by its height. */
export function isBoxCut(request: OpenRequest, page: Page, rows: number): boolean {
  if (request.type !== "permission_request") return false;
  return isCut(request, boxPage(page)) || renderBox(request, { stage: "choose" }, 0, page).lines.length > rows;
}

/** The room inside of the box. */
const boxPage = (page: Page): Page => ({ ...page, width: Math.max(page.width - 3, 1) });

/** `> what is being typed`, cut so that the cursor stays in sight. */
export function renderDraft(draft: Draft, width: number, secret = false): { line: string; column: number } {
  const shown = (characters: readonly string[]) =>
    secret ? "•".repeat(characters.length) : printable(characters.join("")).replace(/\n/g, "⏎");
  const characters = Array.from(draft.text);
  const room = Math.max(width - columnsOf(PROMPT) - 1, 1);
  const before = fitEnd(shown(characters.slice(0, draft.cursor)), room);
  const after = fit(shown(characters.slice(draft.cursor)), room - columnsOf(before));
  return { line: `${PROMPT}${before}${after}`, column: columnsOf(PROMPT) + columnsOf(before) };
}

const PROMPT = "> ";

function renderStage(request: OpenRequest, answering: Answering, page: Page): string[] {
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
  if (answering.stage === "reason") return [paint.dim(fit("denied; why? (Enter sends, Esc goes back)", width))];
  if (request.type === "permission_request") {
    const words = !ways.isCut
      ? []
      : [answering.stage === "choose" && answering.seen ? "all of it is shown above" : "a yes first shows all of it"];
    return [...words.map((each) => paint.dim(fit(each, width))), ...renderKeys(request, page, ways)];
  }
  const question = answering.stage === "question" ? request.questions[answering.index] : undefined;
  const hint = question === undefined ? "[Enter] continue" : `${hints[question.answer]}  [Esc] decline`;
  return [paint.dim(fit(hint, width))];
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
  return renderDraft(answering.draft, page.width, question?.secret === true);
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
    known.has(option.id) || index > 8 ? [] : [fit(`[${index + 1}] ${revealedLine(option.label)}`, width)],
  );
  return [...others, paint.bold(fit(usual.map(([, label]) => label).join("  "), width))];
}
