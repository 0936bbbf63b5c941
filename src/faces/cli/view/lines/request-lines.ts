import { messageOf } from "../../../../contract/errors.ts";
import type { Body, EventOf, Question } from "../../../../contract/events.ts";
import { requestName } from "../../../../contract/ids.ts";
import { excerpt, notShown } from "../../../../contract/requests/excerpt.ts";
import { canRemember } from "../../../../contract/requests/policy.ts";
import { optionOf, replyOf, words } from "../../../../contract/requests/reply.ts";
import type { RunInfo } from "../../../../contract/runs/run.ts";
import type { OpenRequest } from "../../../../contract/sessions/transcript.ts";
import { beginningOf } from "../../../../contract/words/content.ts";
import { fit, hanging, wrap } from "../../../../lib/command/columns.ts";
import type { Page } from "../../../../lib/command/paint.ts";
import { oneLine, revealed, revealedLine } from "../../../../lib/text/printable.ts";
import { nameOf, renderApproved, renderCount } from "./diff-lines.ts";

/** Lines of each piece of a request, before somebody wants to see all of it. */
const MOST = 12;

/** How much is shown: excerpts, or all of it; then what lies elsewhere is read by this. */
export type Extent = "excerpt" | { read(body: Body): string };

/** What the agent asks, in one line. */
export function titleOf(request: OpenRequest): string {
  if (request.type === "permission_request") return revealedLine(request.permissionTitle) || request.actionType;
  return revealedLine(request.message ?? request.questions[0]?.text ?? "a question");
}

/** Everything one must know to decide, without the ways to answer. */
export function renderRequest(request: OpenRequest, page: Page, extent: Extent = "excerpt"): string[] {
  return request.type === "permission_request"
    ? renderPermission(request, page, extent).lines
    : renderMessage(request, page);
}

/** Whether an excerpt leaves out something that would be allowed. */
export function isCut(request: OpenRequest, page: Page): boolean {
  return request.type === "permission_request" && renderPermission(request, page, "excerpt").isCut;
}

/** All that is asked, in lines. */
export interface Whole {
  lines: readonly string[];
  /** Not all of it could be read. */
  isCut?: true;
}

/** What can't be read whole can't be allowed: it can be denied, or tried again. */
export function renderWhole(request: OpenRequest, read: (body: Body) => string, page: Page): Whole {
  try {
    return { lines: renderRequest(request, page, { read }) };
  } catch (error) {
    const why = wrap(`not all of it can be shown, so it can't be allowed: ${oneLine(messageOf(error))}`, page.width);
    return { lines: [...renderRequest(request, page), ...why.map(page.paint.red)], isCut: true };
  }
}

/** One question with its choices, numbered. `picked` are the values chosen so far. */
export function renderQuestion(question: Question, page: Page, picked: readonly string[] = []): string[] {
  const { width, paint } = page;
  const head = question.header === undefined ? [] : wrap(revealedLine(question.header), width).map(paint.dim);
  const choices = (question.choices ?? []).flatMap(({ value, label, description }, index) => {
    const mark = question.answer === "choices" ? (picked.includes(value) ? "[x] " : "[ ] ") : "";
    const lines = hanging(`  ${index + 1} ${mark}`, revealedLine(label) || revealedLine(value), width);
    const about = description === undefined ? [] : hanging("      ", revealedLine(description), width);
    return [...lines, ...about.map(paint.dim)];
  });
  return [...head, ...wrap(revealed(question.text), width).map(paint.bold), ...choices];
}

function renderPermission(request: EventOf<"permission_request">, page: Page, extent: Extent) {
  const { width, paint } = page;
  const { command, cwd, paths = [], url, diffs = [] } = request.actionDetails;
  const { more } = paint.marks;
  const lines: string[] = [];
  let isCut = false;
  const add = (rows: readonly string[]) => {
    const { head, tail, hidden } = excerpt(rows, extent === "excerpt" ? MOST : Number.POSITIVE_INFINITY);
    lines.push(...head);
    if (hidden > 0) lines.push(paint.red(fit(`${more} ${notShown(hidden, "line")} ${more}`, width, more)), ...tail);
    isCut ||= hidden > 0;
  };
  const onLines = (text: string) => wrap(revealedLine(text), width);
  const title = request.permissionTitle || request.actionType;
  // Of a title that is the command all is said below.
  add((title === command ? [fit(revealedLine(title), width, more)] : onLines(title)).map(paint.bold));
  if (request.reason !== undefined) add(onLines(request.reason).map(paint.dim));
  if (command !== undefined) add(renderCommand(command, page));
  if (cwd !== undefined) add(onLines(`in ${cwd}`).map(paint.dim));
  if (url !== undefined) add(onLines(url));
  if (diffs.length === 0) add(paths.flatMap(onLines));
  for (const diff of diffs) {
    const isElsewhere = extent === "excerpt" && typeof diff.unified !== "string";
    const unified = extent === "excerpt" ? beginningOf(diff.unified) : extent.read(diff.unified);
    const names = wrap(nameOf(diff, paint), Math.max(width - 12, 1));
    lines.push(...names.slice(0, -1), `${names.at(-1)}  ${renderCount([{ ...diff, unified }], page)}`);
    add(renderApproved(diff, unified, extent !== "excerpt", page));
    if (isElsewhere) lines.push(paint.red(fit(`${more} the rest of it is not shown`, width, more)));
    isCut ||= isElsewhere;
  }
  return { lines: [...lines, ...expiry(request, page)], isCut };
}

/** All of it, also what hides in control characters. */
function renderCommand(command: string, { width, paint }: Page): string[] {
  const rows = wrap(revealed(command), width - 2);
  return rows.map((row, index) => paint.yellow(`${index === 0 ? "$" : " "} ${row}`));
}

function renderMessage(request: EventOf<"question_request">, page: Page): string[] {
  const lines = request.message === undefined ? [] : wrap(revealed(request.message), page.width);
  // A form of one field often repeats the field's name as its message.
  const [only] = request.questions;
  if (request.questions.length === 1 && only?.text === request.message) lines.length = 0;
  if (request.url !== undefined) lines.push(...wrap(revealedLine(request.url), page.width).map(page.paint.cyan));
  return [...lines, ...expiry(request, page)];
}

function expiry({ expiresAt }: OpenRequest, { paint, width }: Page): string[] {
  return expiresAt === undefined ? [] : wrap(`expires at ${oneLine(expiresAt)}`, width).map(paint.dim);
}

/** The run that asks, and the folder it works in. */
export type Asker = Pick<RunInfo, "run_id" | "handle" | "cwd">;

/** The request and the commands that answer it, for whoever isn't in front of a live view. */
export function renderAsk(request: OpenRequest, from: Asker, page: Page, extent: Extent = "excerpt"): string[] {
  const inner = { ...page, width: Math.max(page.width - 2, 1) };
  const kind = request.type === "permission_request" ? "permission" : "question";
  const questions = request.type === "question_request" ? request.questions : [];
  const body = [
    ...renderRequest(request, inner, extent),
    ...questions.flatMap((question) => renderQuestion(question, inner)),
  ];
  const [first, ...others] = answerCommands(request, from);
  const more = extent === "excerpt" && isCut(request, inner) ? ["  all of it: cox inbox --all"] : [];
  return [
    // With its run: ids are given anew in every one.
    page.paint.yellow(`? ${kind} ${revealedLine(requestName(from, request.pendingId))}`),
    ...body.map((line) => `  ${line}`),
    ...more,
    `  answer: ${first}`,
    ...others.map((command) => `          ${command}`),
  ];
}

/** Exactly what to type. */
export function answerCommands(request: OpenRequest, from: Asker): string[] {
  const base = `cox answer ${shellWord(requestName(from, request.pendingId))}`;
  const { cwd } = from;
  const usual = `${base} ${waysToAnswer(request, cwd)}`.trimEnd();
  if (request.type === "question_request") return [usual, `${base} --decline`];
  const options = request.permissionOptions;
  const known = new Set(usualWords(request, cwd).map((word) => optionOf(options, word)?.id));
  const others = options.filter(({ id }) => !known.has(id)).map(({ id }) => `${base} ${shellWord(id)}`);
  return [usual, ...others];
}

const usualWords = (request: EventOf<"permission_request">, cwd: string) =>
  words.filter((word) => replyOf(request, word, canRemember(request, cwd)) !== undefined);

/** What to say: `allow|deny`, the number of a choice, text. */
export function waysToAnswer(request: OpenRequest, cwd: string): string {
  if (request.type === "question_request") {
    const texts = request.questions.map(({ choices, answer }) =>
      answer === "boolean"
        ? "yes|no"
        : choices === undefined || choices.length === 0
          ? "TEXT"
          : numbers(choices.length),
    );
    return texts.join(" ");
  }
  return usualWords(request, cwd).join("|");
}

const numbers = (count: number) => Array.from({ length: Math.min(count, 9) }, (_, index) => index + 1).join("|");

function shellWord(text: string): string {
  const safe = revealed(text);
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
}
