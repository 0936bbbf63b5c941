import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import type { Home } from "../../../core/store/home.ts";
import { createFileExclusive, writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";

/**
 * A client that did not hear the answer sends the same request again with the same Idempotency-Key, and must not make a second
 * thing. `idempotency/<hash of caller and key>.json` is made before the work and completed by its answer.
 */
export interface Answered {
  status: number;
  json: unknown;
}

interface Entry {
  /** Of method, path and body. */
  request: string;
  answer?: Answered;
}

const LIFE_MS = 24 * 60 * 60_000;
const KEY = /^[\x21-\x7e]{1,256}$/;

export interface Idempotency {
  /** Does the work once per key; a repetition gets the first answer. */
  once(
    who: string,
    key: string,
    request: string,
    work: () => Promise<Answered>,
  ): Promise<Answered & { again: boolean }>;
  /** Forgets what is older than a day. */
  tidy(): void;
}

export function createIdempotency(home: Home, now: () => number): Idempotency {
  const folder = join(home.root, "idempotency");
  const working = new Map<string, { request: string; answer: Promise<Answered> }>();

  const isOld = (path: string) => now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > LIFE_MS;

  const begin = async (path: string, request: string, work: () => Promise<Answered>): Promise<Answered> => {
    let answer: Answered;
    try {
      answer = await work();
    } catch (error) {
      rmSync(path, { force: true }); // refused: nothing was made, and the next attempt may be better
      throw error;
    }
    try {
      const entry: Entry = { request, answer };
      writeFileAtomic(path, JSON.stringify(entry));
    } catch (error) {
      // It is made, whether that can be kept or not. What stays of the record says that nobody knows, and nothing is made twice.
      if (!(error instanceof AppError)) throw error;
    }
    return answer;
  };

  return {
    async once(who, key, request, work) {
      if (!KEY.test(key)) {
        throw new AppError("http.invalid", "Idempotency-Key: must be 1 to 256 printable characters without blanks");
      }
      const path = join(folder, `${hash(`${who}\n${key}`)}.json`);
      const running = working.get(path);
      if (running !== undefined) {
        requireSame(running.request, request);
        return { ...(await running.answer), again: true };
      }
      if (isOld(path)) rmSync(path, { force: true });
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const entry: Entry = { request };
      if (!createFileExclusive(path, JSON.stringify(entry))) return { ...earlier(path, request), again: true };
      const answer = begin(path, request, work);
      working.set(path, { request, answer });
      try {
        return { ...(await answer), again: false };
      } finally {
        working.delete(path);
      }
    },
    tidy() {
      for (const name of namesIn(folder)) if (isOld(join(folder, name))) rmSync(join(folder, name), { force: true });
    },
  };
}

function earlier(path: string, request: string): Answered {
  const { request: first, answer } = readEntry(path);
  requireSame(first, request);
  if (answer !== undefined) return answer;
  throw new AppError(
    "idempotency.unknown",
    "an earlier request with this Idempotency-Key was cut off; see whether it took effect, and use a new key if not",
  );
}

function readEntry(path: string): Entry {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Entry;
  } catch (cause) {
    throw new AppError(
      "idempotency.unknown",
      "the record of this Idempotency-Key is damaged; use a new key",
      {},
      { cause },
    );
  }
}

function requireSame(first: string, second: string): void {
  if (first === second) return;
  throw new AppError("idempotency.conflict", "this Idempotency-Key was used for another request; use a new key");
}

export const hash = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("hex");

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}
