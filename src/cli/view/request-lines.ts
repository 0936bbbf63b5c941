import { oneLine, printable, revealed } from "../../base/printable.ts";
import type { EventOf, PermissionOption, Question } from "../../contract/events.ts";
import type { OpenRequest } from "../../contract/transcript.ts";
import { plural } from "../figures.ts";
import { fit, wrap } from "./columns.ts";
import { nameOf, renderChanges, renderCount } from "./diff-lines.ts";
import type { Page } from "./paint.ts";

const COMMAND_LINES = 12;
const CHANGED_LINES = 12;

/** What the agent asks, in one line. */
export function titleOf(request: OpenRequest): string {
  if (request.type === "permission_request") return oneLine(request.permissionTitle) || request.actionType;
  return oneLine(request.message ?? request.questions[0]?.text ?? "a question");
}

/** Everything one must know to decide, without the ways to answer. */
export function renderRequest(request: OpenRequest, page: Page): string[] {
  return request.type === "permission_request" ? renderPermission(request, page) : renderMessage(request, page);
}

/** One question with its choices, numbered. `picked` are the values chosen so far. */
export function renderQuestion(question: Question, page: Page, picked: readonly string[] = []): string[] {
  const { width, paint } = page;
  const head = question.header === undefined ? [] : wrap(oneLine(question.header), width).map(paint.dim);
  const choices = (question.choices ?? []).flatMap(({ value, label, description }, index) => {
    const mark = question.answer === "choices" ? (picked.includes(value) ? "[x] " : "[ ] ") : "";
    const line = fit(`  ${index + 1} ${mark}${oneLine(label) || oneLine(value)}`, width);
    return description === undefined ? [line] : [line, paint.dim(fit(`      ${oneLine(description)}`, width))];
  });
  return [...head, ...wrap(printable(question.text), width).map(paint.bold), ...choices];
}

/** The option that stands for one of the three usual words. */
export function optionOf(options: readonly PermissionOption[], word: Word): PermissionOption | undefined {
  const kinds = { allow: ["allow_once"], always: ["allow_always"], deny: ["reject_once", "reject_always"] } as const;
  for (const kind of kinds[word]) {
    const option = options.find((candidate) => candidate.kind === kind);
    if (option !== undefined) return option;
  }
  return undefined;
}
export type Word = "allow" | "always" | "deny";

function renderPermission(request: EventOf<"permission_request">, page: Page): string[] {
  const { width, paint } = page;
  const { command, cwd, paths, url, diffs } = request.actionDetails;
  const lines = wrap(titleOf(request), width).map(paint.bold);
  if (request.reason !== undefined) lines.push(...wrap(oneLine(request.reason), width).map(paint.dim));
  if (command !== undefined) lines.push(...renderCommand(command, page));
  if (cwd !== undefined) lines.push(paint.dim(fit(`in ${oneLine(cwd)}`, width)));
  if (url !== undefined) lines.push(...wrap(oneLine(url), width));
  if (diffs !== undefined && diffs.length > 0) {
    for (const diff of diffs) lines.push(`${fit(nameOf(diff), width - 12)}  ${renderCount([diff], page)}`);
    lines.push(...renderChanges(diffs, CHANGED_LINES, page));
  } else if (paths !== undefined) {
    lines.push(...paths.map((path) => fit(oneLine(path), width)));
  }
  return [...lines, ...expiry(request, page)];
}

/** All of it, also what hides in control characters; only a very long one is cut, and says so. */
function renderCommand(command: string, { width, paint }: Page): string[] {
  const rows = wrap(revealed(command), width - 2);
  const shown = rows.slice(0, COMMAND_LINES).map((row, index) => paint.yellow(`${index === 0 ? "$" : " "} ${row}`));
  if (rows.length > COMMAND_LINES) shown.push(paint.red(`  … ${plural(rows.length - COMMAND_LINES, "more line")}`));
  return shown;
}

function renderMessage(request: EventOf<"question_request">, page: Page): string[] {
  const lines = request.message === undefined ? [] : wrap(printable(request.message), page.width);
  // A form of one field often repeats the field's name as its message.
  const [only] = request.questions;
  if (request.questions.length === 1 && only?.text === request.message) lines.length = 0;
  if (request.url !== undefined) lines.push(...wrap(oneLine(request.url), page.width).map(page.paint.cyan));
  return [...lines, ...expiry(request, page)];
}

function expiry({ expiresAt }: OpenRequest, { paint, width }: Page): string[] {
  return expiresAt === undefined ? [] : [paint.dim(fit(`expires at ${oneLine(expiresAt)}`, width))];
}

/** The request and the commands that answer it, for whoever isn't in front of a live view. */
export function renderAsk(request: OpenRequest, runId: string, page: Page): string[] {
  const inner = { ...page, width: Math.max(page.width - 2, 1) };
  const kind = request.type === "permission_request" ? "permission" : "question";
  const questions = request.type === "question_request" ? request.questions : [];
  const body = [...renderRequest(request, inner), ...questions.flatMap((question) => renderQuestion(question, inner))];
  const [first, ...others] = answerCommands(request, runId);
  return [
    page.paint.yellow(`? ${kind} ${oneLine(request.pendingId)}`),
    ...body.map((line) => `  ${line}`),
    `  answer: ${first}`,
    ...others.map((command) => `          ${command}`),
  ];
}

/** Exactly what to type. */
export function answerCommands(request: OpenRequest, runId: string): string[] {
  const base = `cox answer ${shellWord(`${runId}/${request.pendingId}`)}`;
  if (request.type === "question_request") {
    const texts = request.questions.map(({ choices, answer }) =>
      answer === "boolean"
        ? "yes|no"
        : choices === undefined || choices.length === 0
          ? "TEXT"
          : numbers(choices.length),
    );
    return [[base, ...texts].join(" "), `${base} --decline`];
  }
  const options = request.permissionOptions;
  const words = (["allow", "always", "deny"] as const).filter((word) => word === "deny" || optionOf(options, word));
  const usual = new Set(words.map((word) => optionOf(options, word)?.id));
  const others = options.filter(({ id }) => !usual.has(id)).map(({ id }) => `${base} ${shellWord(id)}`);
  return [`${base} ${words.join("|")}`, ...others];
}

const numbers = (count: number) => Array.from({ length: Math.min(count, 9) }, (_, index) => index + 1).join("|");

function shellWord(text: string): string {
  const safe = revealed(text);
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
}
