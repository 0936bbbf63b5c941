import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { createHash, randomUUID } from "../../lib/base/crypto.ts";
import { writeFileAtomic } from "../../lib/files/atomic-file.ts";
import { diskError, errnoOf } from "../../lib/files/disk-error.ts";
import { type Home, taskFolder } from "./home.ts";
import type { TaskRef } from "./task-file.ts";

/** What a person noted while looking at a task's work: one file each, below the task. */
export interface ReviewMark {
  path: string;
  /** Of the diff they saw: with another diff the mark is void. */
  hash: string;
  by: string;
  at: string;
}

export interface LineComment {
  id: string;
  path: string;
  line: number;
  side: "old" | "new";
  text: string;
  quote: string;
  by: string;
  at: string;
}

const marksFolder = (home: Home, ref: TaskRef) => join(taskFolder(home, ref.project, ref.task), "review", "marks");
const commentsFolder = (home: Home, ref: TaskRef) =>
  join(taskFolder(home, ref.project, ref.task), "review", "comments");

/** By the path of the file. */
export function readMarks(home: Home, ref: TaskRef): Map<string, ReviewMark> {
  return new Map(readAll<ReviewMark>(marksFolder(home, ref)).map((mark) => [mark.path, mark]));
}

export function putMark(home: Home, ref: TaskRef, mark: ReviewMark): void {
  write(marksFolder(home, ref), nameOf(mark.path), mark);
}

export function removeMark(home: Home, ref: TaskRef, path: string): void {
  rmSync(join(marksFolder(home, ref), nameOf(path)), { force: true });
}

/** Oldest first. */
export function readComments(home: Home, ref: TaskRef): LineComment[] {
  return readAll<LineComment>(commentsFolder(home, ref)).sort((a, b) => (a.at < b.at ? -1 : 1));
}

export function addComment(home: Home, ref: TaskRef, draft: Omit<LineComment, "id">): LineComment {
  const comment = { id: randomUUID(), ...draft };
  write(commentsFolder(home, ref), `${comment.id}.json`, comment);
  return comment;
}

export function removeComment(home: Home, ref: TaskRef, id: string): void {
  const file = join(commentsFolder(home, ref), `${id}.json`);
  try {
    rmSync(file);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") throw new AppError("request.not_found", `comment ${id}: there is no such comment`);
    throw diskError("remove a comment", file, error);
  }
}

/** A path may be anything: its hash is a good name. */
const nameOf = (path: string) => `${createHash("sha256").update(path).digest("hex").slice(0, 32)}.json`;

function write(folder: string, name: string, value: unknown): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("keep a review note", folder, error);
  }
  writeFileAtomic(join(folder, name), JSON.stringify(value));
}

function readAll<T>(folder: string): T[] {
  return namesIn(folder).flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(join(folder, name), "utf8")) as T];
    } catch {
      return []; // removed meanwhile
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw diskError("read review notes", folder, error);
  }
}
