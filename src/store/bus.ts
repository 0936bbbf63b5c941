import { closeSync, fstatSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { appendRecord, openJournal } from "../base/journal-line.ts";
import { type BusDraft, isMessageId, isMessageType } from "../contract/bus.ts";
import { AppError } from "../contract/errors.ts";
import type { Body } from "../contract/events.ts";
import { shorten } from "../contract/ids.ts";
import { Blobs } from "./blobs.ts";
import { type Home, projectFolder, taskFolder } from "./home.ts";

const MAX_RECORD_BYTES = 64 * 1024;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const MAX_BUS_BYTES = 1024 * 1024 * 1024;
const HEAD_CHARACTERS = 2000;
/** The size is looked at again after this many posts: others write too. */
const POSTS_PER_LOOK = 64;
const MAX_REFERENCES = 16;

/** The bus of a task, or of its project when no task is named. */
export function busPath(home: Home, project: string, task?: string): string {
  return join(task === undefined ? projectFolder(home, project) : taskFolder(home, project, task), "bus.jsonl");
}

const blobFolder = (path: string) => join(dirname(path), "blobs");
export const busBlobs = (path: string): Blobs => new Blobs(blobFolder(path));

export interface Posted {
  id: string;
  /** Where a large body went. */
  blob?: string;
}

/**
 * Many processes write to one bus, without a server and without a lock: each message is one write at the end of the file.
 * Once `post` returns, every reader finds the message, whoever is killed.
 */
export class BusWriter {
  readonly #path: string;
  readonly #fd: number;
  #posts = 0;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#path = path;
    this.#fd = openJournal(path);
  }

  post(draft: BusDraft, now: number): Posted {
    check(draft);
    if (this.#posts % POSTS_PER_LOOK === 0) this.#requireRoom();
    this.#posts += 1;
    const id = draft.id ?? newMessageId(now);
    const small = draft.body.length <= MAX_RECORD_BYTES ? encode(id, draft, draft.body, now) : undefined;
    if (small !== undefined && Buffer.byteLength(small) <= MAX_RECORD_BYTES) {
      appendRecord(this.#fd, small, this.#path);
      return { id };
    }
    const body = this.#moveOut(draft.body);
    appendRecord(this.#fd, encode(id, draft, body, now), this.#path);
    return { id, blob: join(blobFolder(this.#path), body.sha256) };
  }

  close(): void {
    closeSync(this.#fd);
  }

  #moveOut(text: string): Exclude<Body, string> {
    const bytes = Buffer.from(text);
    if (bytes.length > MAX_BODY_BYTES) throw tooLong(bytes.length);
    const sha256 = busBlobs(this.#path).put(bytes);
    return { head: text.slice(0, HEAD_CHARACTERS), bytes: bytes.length, sha256 };
  }

  #requireRoom(): void {
    if (fstatSync(this.#fd).size <= MAX_BUS_BYTES) return;
    throw new AppError(
      "bus.too_large",
      `post: ${this.#path}: has more than 1 GB; while nothing writes to it, move it away (mv ${this.#path} ${this.#path}.old), and the next message begins a new one`,
      { path: this.#path },
    );
  }
}

/** One message from a process that writes now and then. */
export function appendMessage(path: string, draft: BusDraft, now: number): Posted {
  const writer = new BusWriter(path);
  try {
    return writer.post(draft, now);
  } finally {
    writer.close();
  }
}

/** `durable`: also power loss can't take the message any more when this resolves. */
export async function postMessage(
  path: string,
  draft: BusDraft,
  { now, durable = false }: { now: number; durable?: boolean },
): Promise<string> {
  const { id, blob } = appendMessage(path, draft, now);
  if (!durable) return id;
  // Loaded only now: an ordinary post is over before that.
  const { syncFile, syncShared } = await import("./durable.ts");
  if (blob !== undefined) await syncFile(blob);
  await syncShared(path);
  return id;
}

/** `,"crc":"01234567"}` ends every line we write: it tells a whole record from a damaged one, and ours from others'. */
export const CHECK_BYTES = 18;

function encode(id: string, draft: BusDraft, body: Body, now: number): string {
  const { type, project, task, run, parents, links, data } = draft;
  const text = JSON.stringify({
    id,
    time: new Date(now).toISOString(),
    type,
    project,
    task: task || undefined,
    run: run || undefined,
    parents: parents?.length ? parents : undefined,
    links: links?.length ? links : undefined,
    data,
    body,
  }).slice(0, -1);
  return `${text},"crc":"${checkOf(text)}"}`;
}

export const checkOf = (text: string | Uint8Array): string => crc32(text).toString(16).padStart(8, "0");

let posted = 0;
const salt = Math.random().toString(36).slice(2, 8).padEnd(6, "0");

/** Time, process, a random part for processes of other machines with the same number, and a counter. */
function newMessageId(now: number): string {
  posted += 1;
  return `m${now.toString(36)}-${process.pid.toString(36)}-${salt}-${posted.toString(36)}`;
}

function check({ id, type, parents = [], links = [] }: BusDraft): void {
  if (!isMessageType(type)) {
    throw invalid(`type ${JSON.stringify(shorten(type))}: use capitals, digits and "_", at most 40, such as INFO`);
  }
  for (const parent of id === undefined ? parents : [id, ...parents]) {
    if (!isMessageId(parent)) throw invalid(`message id ${JSON.stringify(shorten(parent))}: not one of a message`);
  }
  for (const link of links) {
    if (link.length > 2048 || !/^[a-z][a-z0-9+.-]*:\S+$/i.test(link)) {
      throw invalid(`link ${JSON.stringify(shorten(link))}: not an address such as https://… or file:/…`);
    }
  }
  if (parents.length > MAX_REFERENCES || links.length > MAX_REFERENCES) {
    throw invalid(`at most ${MAX_REFERENCES} parents and ${MAX_REFERENCES} links fit on a message`);
  }
}

const invalid = (why: string) => new AppError("usage.invalid", `post: ${why}`);

const tooLong = (bytes: number) =>
  new AppError("bus.too_large", `post: a body of ${bytes} bytes is too long; keep it in a file and post its path`);
