import type { Body, EventOf, FileDiff, Question } from "../../../src/contract/events.ts";
import { excerpt, notShown } from "../../../src/contract/requests/excerpt.ts";
import { isAllHunks, readDiff } from "../../../src/contract/words/diff.ts";
import { revealed, revealedLine } from "../base/safe-text.ts";
import { diffExcerpt, WIDEST } from "../text/diff.ts";

export type Request = EventOf<"permission_request"> | EventOf<"question_request">;

/** How much of each is shown before somebody wants to see all of it. */
export const most = {
  text: 1200,
  words: 600,
  folder: 200,
  path: 300,
  paths: 12,
  lines: 60,
  title: 200,
  question: 2000,
};
/** Beyond this a diff is text: a table of it would stop the page. */
const PAINTED = 200_000;

/** What a person says yes to, piece by piece. */
export type Piece =
  | { is: "words" | "command" | "address" | "folder"; text: string; most: number }
  | { is: "paths"; paths: readonly string[] }
  | { is: "diff"; diff: FileDiff; name: string; unified: string }
  | { is: "text"; diff: FileDiff; name: string; text: string; most: number };

/** Texts that lay elsewhere and were fetched, by their hash. */
export type Fetched = ReadonlyMap<string, string>;

export function piecesOf(request: EventOf<"permission_request">, cwd: string, fetched: Fetched): Piece[] {
  const { command, paths = [], url, diffs = [], cwd: own } = request.actionDetails;
  const folder = own ?? cwd;
  const words = (text: string | undefined): Piece[] =>
    text === undefined || text === "" ? [] : [{ is: "words", text: revealed(text), most: most.words }];
  const pieces: Piece[] = [...words(longTitle(request)), ...words(request.reason)];
  if (command !== undefined) pieces.push({ is: "command", text: revealed(command), most: most.text });
  if (url !== undefined) pieces.push({ is: "address", text: revealed(url), most: most.words });
  if (paths.length > 0 && diffs.length === 0)
    pieces.push({ is: "paths", paths: paths.map((path) => revealed(within(folder, path))) });
  for (const diff of diffs) pieces.push(pieceOf(diff, within(folder, diff.path), fetched));
  if (folder !== "") pieces.push({ is: "folder", text: revealed(folder), most: most.folder });
  return pieces;
}

/** What is not shown while only excerpts are, in words; nothing, where all of it is. */
export function missingOf(request: Request, cwd: string, fetched: Fetched): string[] {
  const far = elsewhere(request).filter(({ sha256 }) => !fetched.has(sha256));
  const bytes = far.reduce((sum, { head, bytes }) => sum + bytes - head.length, 0);
  const pieces = request.type === "permission_request" ? piecesOf(request, cwd, fetched) : [];
  const counts = request.type === "permission_request" ? pieces.map(hiddenIn) : [hiddenInQuestions(request)];
  const sum = (of: keyof Hidden) => counts.reduce((total, count) => total + count[of], 0);
  return (
    [
      [sum("characters"), "character"],
      [sum("lines"), "line"],
      [sum("paths"), "path"],
      [bytes, "byte"],
    ] as const
  ).flatMap(([hidden, one]) => (hidden === 0 ? [] : [notShown(hidden, one)]));
}

/** Texts of which only the beginning came with the request. */
export function elsewhere(request: Request): Exclude<Body, string>[] {
  const { diffs = [] } = request.type === "permission_request" ? request.actionDetails : {};
  return diffs.flatMap(({ unified }) => (typeof unified === "string" ? [] : [unified]));
}

interface Hidden {
  characters: number;
  lines: number;
  paths: number;
}

function hiddenIn(piece: Piece): Hidden {
  switch (piece.is) {
    case "paths": {
      const { head, tail, hidden } = excerpt(piece.paths, most.paths);
      return { characters: beyond([...head, ...tail], most.path), lines: 0, paths: hidden };
    }
    case "diff": {
      const { head, tail, hidden } = diffExcerpt(readDiff(piece.unified), most.lines);
      const texts = [...head, ...tail].flatMap(({ lines }) => lines.map(({ text }) => revealed(text)));
      return { characters: beyond(texts, WIDEST) + beyond([piece.name], most.path), lines: hidden, paths: 0 };
    }
    case "text":
      return { characters: beyond([piece.text], piece.most) + beyond([piece.name], most.path), lines: 0, paths: 0 };
    default:
      return { characters: beyond([piece.text], piece.most), lines: 0, paths: 0 };
  }
}

function hiddenInQuestions({ questions, message, url = "" }: EventOf<"question_request">): Hidden {
  const texts = questions.flatMap(({ text, choices = [] }: Question) => [
    [text, most.question] as const,
    ...choices.flatMap(({ label, description = "" }) => [
      [label, most.path] as const,
      [description, most.words] as const,
    ]),
  ]);
  const all = [...texts, [message ?? "", most.question] as const, [url, most.words] as const];
  const characters = all.reduce((sum, [text, limit]) => sum + beyond([revealed(text)], limit), 0);
  return { characters, lines: 0, paths: 0 };
}

const beyond = (texts: readonly string[], limit: number) =>
  texts.reduce((sum, text) => sum + excerpt(text, limit).hidden, 0);

/** Beside its command a title says nothing; else it may be all there is, and then all of it must be seen. */
function longTitle({ permissionTitle: title, actionDetails: { command } }: EventOf<"permission_request">) {
  const isShown = title.length <= most.title && revealedLine(title) === title;
  return isShown || title === command ? undefined : title;
}

/** The folder is named below. */
const within = (folder: string, path: string) =>
  folder !== "" && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

function pieceOf(diff: FileDiff, path: string, fetched: Fetched): Piece {
  const name = revealed(path);
  const { unified: body } = diff;
  const unified = typeof body === "string" ? body : (fetched.get(body.sha256) ?? body.head);
  // Whatever a table of hunks would leave out is shown as it is.
  if (unified.length <= PAINTED && isAllHunks(unified)) return { is: "diff", diff, name, unified };
  return { is: "text", diff, name, text: revealed(unified), most: most.text };
}
