import { AppError } from "../../contract/errors.ts";

/** Text with places to fill in. Parsed once; what is filled in is data and never looked at as a template again. */
export interface Template {
  readonly text: string;
  readonly parts: readonly (string | Reference)[];
}

/** One place: the keys it asks for, and where it stands. */
interface Reference {
  readonly path: readonly string[];
  readonly at: number;
}

/**
 * `{{ index .Deps "name" "Results" "branch" }}`, `{{ .Deps.name.Results.branch }}`, `{{ deps.name.results.branch }}`, and
 * `{{ "{{" }}` for the braces themselves. Anything else in double braces is an error that shows where it is: a template that
 * is half understood would tell an agent something nobody wrote.
 */
export function parseTemplate(text: string): Template {
  const parts: (string | Reference)[] = [];
  let from = 0;
  for (let at = text.indexOf("{{"); at !== -1; at = text.indexOf("{{", from)) {
    const action = ACTION.exec(text.slice(at, at + MAX_ACTION))?.[0];
    if (action === undefined) throw invalid(text, at, "it is not closed with }}");
    const part = parseAction(action.slice(2, -2), at);
    if (part === undefined) throw invalid(text, at, REMEDY);
    parts.push(text.slice(from, at), part);
    from = at + action.length;
  }
  parts.push(text.slice(from));
  return { text, parts };
}

/** Every place filled in, or an error for the first that can't be: never an empty text in place of a missing one. */
export function renderTemplate({ text, parts }: Template, data: Readonly<Record<string, unknown>>): string {
  return parts.map((part) => (typeof part === "string" ? part : valueAt(text, part, data))).join("");
}

const MAX_ACTION = 1000;
/** Braces inside quotes belong to the quoted text. */
const ACTION = /^\{\{(?:[^"{}]|"(?:[^"\\\n]|\\.)*"|\}(?!\})|\{(?!\{))*\}\}/;

function parseAction(action: string, at: number): string | Reference | undefined {
  const [first, root, ...keys] = wordsOf(action) ?? [];
  if (root === undefined && first?.kind === "text") return first.value;
  if (root === undefined && first?.kind === "path") return { path: first.value, at };
  if (first?.kind !== "index" || root?.kind !== "path" || keys.length === 0) return undefined;
  const names = keys.flatMap((key) => (key.kind === "text" ? [key.value] : []));
  return names.length === keys.length ? { path: [...root.value, ...names], at } : undefined;
}

type Word = { kind: "index" } | { kind: "text"; value: string } | { kind: "path"; value: string[] };

function wordsOf(action: string): Word[] | undefined {
  const words: Word[] = [];
  let rest = action.trim();
  while (rest !== "") {
    const match = /^("(?:[^"\\\n]|\\.)*"|[^\s"]+)(?:\s+|$)/.exec(rest);
    const word = match?.[1] === undefined ? undefined : wordOf(match[1]);
    if (match === null || word === undefined) return undefined;
    words.push(word);
    rest = rest.slice(match[0].length);
  }
  return words;
}

function wordOf(text: string): Word | undefined {
  if (text === "index") return { kind: "index" };
  if (text.startsWith('"')) {
    try {
      return { kind: "text", value: String(JSON.parse(text)) };
    } catch {
      return undefined;
    }
  }
  const path = /^\.?([\w/-]+(?:\.[\w/-]+)*)$/.exec(text)?.[1];
  return path === undefined ? undefined : { kind: "path", value: path.split(".") };
}

function valueAt(text: string, { path, at }: Reference, data: Readonly<Record<string, unknown>>): string {
  let value: unknown = data;
  for (const [depth, key] of path.entries()) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) {
      throw invalid(text, at, missing(path, depth, value));
    }
    value = (value as Record<string, unknown>)[key];
  }
  const values = Array.isArray(value) ? value : [value];
  if (!values.every(isScalar)) throw invalid(text, at, "it names a group of values; name one of them");
  return values.join("\n");
}

const isScalar = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

function missing(path: readonly string[], depth: number, value: unknown): string {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const there = keys.length === 0 ? "nothing is there" : `there is ${keys.slice(0, 20).join(", ")}`;
  return `there is no ${path.slice(0, depth + 1).join(" › ")} (${there})`;
}

const REMEDY =
  'not a form that is known; use {{ index .Deps "task" "Results" "branch" }} or {{deps.task.results.branch}}, and {{"{{"}} for the braces themselves';

function invalid(text: string, at: number, why: string): AppError {
  const before = text.slice(0, at).split("\n");
  const line = before.length;
  const column = (before.at(-1)?.length ?? 0) + 1;
  const shown = text.slice(at, at + 60).split("\n")[0] ?? "";
  return new AppError("template.invalid", `template, line ${line}, column ${column}: ${shown}: ${why}`, {
    line,
    column,
  });
}
