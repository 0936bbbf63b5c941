import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../../../../contract/errors.ts";
import { createHash } from "../../../../lib/base/crypto.ts";
import { createFileExclusive } from "../../../../lib/files/atomic-file.ts";
import { errnoOf } from "../../../../lib/files/disk-error.ts";
import { removeTree } from "../../../../lib/files/tree/remove-tree.ts";
import { isWithin } from "../../../../lib/files/within.ts";
import type { FoundGit, PersonsGit } from "./persons-git.ts";

/**
 * What a person had in a workspace before an isolated agent first worked there; made once and never changed. Whatever is there
 * later an agent may have put there, so it is this that says what the next one gets.
 */
export interface FenceRecord {
  version: 1;
  workspace: string;
  git: { gitDir: Place; commonDir: Place } | null;
  /** The `.git` of other repositories in it. */
  nested: Place[];
}

/** A path and what stood there. Not the device: its number may be another after a restart. */
export interface Place {
  path: string;
  inode: string;
}

export const placeOf = (path: string): Place => ({
  path,
  inode: String(statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? ""),
});
export const isSame = (a: Place, b: Place): boolean => a.path === b.path && a.inode === b.inode;

/** What is believed of a `.git`, and what is to be said of one that isn't. */
export interface Belief {
  git?: PersonsGit;
  doubt?: string;
}

/** Pure: by the record of this workspace, what was found there now. */
export function believe(found: FoundGit, record: FenceRecord, place: (path: string) => Place = placeOf): Belief {
  if ("none" in found) return {};
  if ("odd" in found) return { doubt: found.odd };
  if (record.git === null)
    return { doubt: "was not there, or not known to be yours, when an isolated agent first worked here" };
  const { gitDir, commonDir } = record.git;
  const same = isSame(place(found.git.gitDir), gitDir) && isSame(place(found.git.commonDir), commonDir);
  return same
    ? { git: found.git }
    : { doubt: "is not the repository that was there when an isolated agent first worked here" };
}

/** Pure: whether what is found at the first run may have been put there by an agent that was isolated in another workspace. */
export function isUntouched({ gitDir, commonDir }: PersonsGit, dotGit: Place, others: readonly FenceRecord[]): boolean {
  return [dotGit.path, gitDir, commonDir].every((path) =>
    others.every(({ workspace, git, nested }) => {
      if (!isWithin(path, workspace)) return true;
      const theirs = git === null ? [] : [git.gitDir.path, git.commonDir.path];
      if (theirs.some((known) => isWithin(path, known))) return true;
      return nested.some((known) => isWithin(path, known.path) && (path !== dotGit.path || isSame(known, dotGit)));
    }),
  );
}

const FOLDER = "fences";

/** All that is kept of a workspace that isolated agents have worked in. */
export const fenceFolder = (home: string, workspace: string): string =>
  join(resolve(home), FOLDER, createHash("sha256").update(workspace).digest("hex").slice(0, 24));

export const recordFile = (home: string, workspace: string): string =>
  join(fenceFolder(home, workspace), "record.json");

/** The record there is, else the one that `make` makes; of two that come at once the first counts. */
export function recordOf(home: string, workspace: string, make: (others: FenceRecord[]) => FenceRecord): FenceRecord {
  const file = recordFile(home, workspace);
  const known = readRecord(file);
  if (known !== undefined) return known;
  mkdirSync(fenceFolder(home, workspace), { recursive: true, mode: 0o700 });
  const made = make(allRecords(home));
  if (createFileExclusive(file, `${JSON.stringify(made)}\n`)) return made;
  return recordOf(home, workspace, make);
}

function allRecords(home: string): FenceRecord[] {
  return namesIn(home).flatMap((name) => readRecord(join(resolve(home), FOLDER, name, "record.json")) ?? []);
}

function namesIn(home: string): string[] {
  const folder = join(resolve(home), FOLDER);
  return existsSync(folder) ? readdirSync(folder) : [];
}

/**
 * The workspaces that isolated agents have had since one last asked: a record never changes, so each is read once. A folder
 * whose record is still being made is asked for again.
 */
export function fencedSince(home: string): () => string[] {
  const known = new Set<string>();
  return () =>
    namesIn(home).flatMap((name) => {
      const record = known.has(name) ? undefined : readRecord(join(resolve(home), FOLDER, name, "record.json"));
      if (record === undefined) return [];
      known.add(name);
      return [record.workspace];
    });
}

/** Of workspaces that are no more. */
export function forgetGoneFences(home: string): void {
  for (const { workspace } of allRecords(home)) {
    if (!existsSync(workspace)) removeTree(fenceFolder(home, workspace));
  }
}

function readRecord(file: string): FenceRecord | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error))) return undefined; // beside the workspaces lies the lock of all
    throw error;
  }
  const record: Partial<FenceRecord> | undefined = parse(text);
  const isRecord = typeof record?.workspace === "string" && Array.isArray(record.nested) && record.git !== undefined;
  if (isRecord) return record as FenceRecord;
  throw new AppError(
    "store.damaged",
    `${file}: not the record of a workspace; look at its .git, then move the file away`,
  );
}

function parse(text: string): Partial<FenceRecord> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
