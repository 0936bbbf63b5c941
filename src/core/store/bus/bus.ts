import { closeSync, existsSync, fstatSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BusDraft, isMessageId, isMessageType } from "../../../contract/bus.ts";
import { AppError } from "../../../contract/errors.ts";
import { shorten } from "../../../contract/ids.ts";
import { appendFramed, openJournal } from "../../../lib/files/journal-line.ts";
import { Blobs } from "../blobs.ts";
import { type Home, projectFolder, taskFolder } from "../home.ts";
import { CHECK_BYTES, checkOf, checkText, headJson, OUR_HEAD, RULE, setIn } from "./record.ts";

const MAX_RECORD_BYTES = 64 * 1024;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const MAX_BUS_BYTES = 1024 * 1024 * 1024;
const HEAD_CHARACTERS = 2000;
/** The size is looked at again after this many posts: others write too. */
const POSTS_PER_LOOK = 64;
const MAX_REFERENCES = 16;

/**
 * The bus of a task, or of its project when no task is named. It is called as `run-agent` calls it, so that both find it without
 * being told; one that was begun under its old name keeps it.
 */
export function busPath(home: Home, project: string, task?: string): string {
  const folder = task === undefined ? projectFolder(home, project) : taskFolder(home, project, task);
  const old = `${folder}/bus.jsonl`;
  if (existsSync(old)) return old;
  return `${folder}/${task === undefined ? "PROJECT" : "TASK"}-MESSAGE-BUS.md`;
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
    this.#path = path;
    this.#fd = openBus(path);
  }

  post(draft: BusDraft, now: number): Posted {
    check(draft);
    // The few records that say where a task stands are always taken: without them it would be stuck.
    if (this.#posts % POSTS_PER_LOOK === 0 && draft.data === undefined) this.#requireRoom();
    this.#posts += 1;
    const id = draft.id ?? newMessageId(now);
    const head = encode(id, draft, now);
    const small = draft.body.length <= MAX_RECORD_BYTES ? frame(head, setIn(draft.body)) : undefined;
    if (small !== undefined && small.length <= MAX_RECORD_BYTES) {
      appendFramed(this.#fd, small, this.#path);
      return { id };
    }
    const { bytes, sha256 } = this.#moveOut(draft.body);
    const beginning = draft.body.slice(0, HEAD_CHARACTERS);
    const blob = headJson({ bytes, sha256, shown: beginning.length });
    const shown = `${beginning}\n… (all ${bytes} bytes are in blobs/${sha256})`;
    appendFramed(this.#fd, frame(`${head},"blob":${blob}`, setIn(shown)), this.#path);
    return { id, blob: join(blobFolder(this.#path), sha256) };
  }

  close(): void {
    closeSync(this.#fd);
  }

  #moveOut(text: string): { bytes: number; sha256: string } {
    const bytes = Buffer.from(text);
    if (bytes.length > MAX_BODY_BYTES) throw tooLong(bytes.length);
    return { bytes: bytes.length, sha256: busBlobs(this.#path).put(bytes) };
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

/** Only the first message finds no folder to be in. */
function openBus(path: string): number {
  try {
    return openJournal(path);
  } catch (error) {
    if (!(error instanceof AppError) || error.details.errno !== "ENOENT") throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openJournal(path);
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

/** A head up to its `bytes`. Put together by hand: for a short message that is half the time of making it an object first. */
function encode(id: string, draft: BusDraft, now: number): string {
  const { type, project, task, run, parents, links, data } = draft;
  let text = `${OUR_HEAD}${id}","ts":"${timeOf(now)}","type":"${type}","project_id":${headJson(project)}`;
  if (task) text += `,"task_id":${headJson(task)}`;
  if (run) text += `,"run_id":${headJson(run)}`;
  if (parents?.length) text += `,"parents":${headJson(parents)}`;
  if (links?.length) text += `,"links":${headJson(links.map((url) => ({ url })))}`;
  if (data) text += `,"data":${headJson(data)}`;
  return text;
}

let scratch = Buffer.allocUnsafeSlow(4096);

/** The whole record, in a buffer that the next one will use again: it must be written at once. */
function frame(open: string, body: string): Buffer {
  const head = `${open},"bytes":${Buffer.byteLength(body)}`;
  const room = (head.length + body.length) * 3 + 64;
  if (scratch.length < room) scratch = Buffer.allocUnsafeSlow(room * 2);
  const headAt = scratch.write(BEFORE, 0, "latin1");
  const headEnd = headAt + scratch.write(head, headAt, "utf8");
  const bodyAt = headEnd + CHECK_BYTES + BEFORE.length;
  const bodyEnd = bodyAt + scratch.write(body, bodyAt, "utf8");
  const check = checkOf(scratch.subarray(headAt, headEnd), scratch.subarray(bodyAt, bodyEnd));
  scratch.write(`${checkText(check)}${BEFORE}`, headEnd, "latin1");
  scratch[bodyEnd] = LF;
  return scratch.subarray(0, bodyEnd + 1);
}

/** The newline keeps what a killed writer left behind from swallowing the record. */
const BEFORE = `\n${RULE}`;
const LF = 10;

/** Those who post much post several within a millisecond, and the time's text is the dearest part of a short message. */
let lately = { now: Number.NaN, time: "", id: "" };

function momentOf(now: number): typeof lately {
  if (lately.now !== now) {
    const id = `m${now.toString(36)}-${process.pid.toString(36)}-${salt}-`;
    lately = { now, time: new Date(now).toISOString(), id };
  }
  return lately;
}

const timeOf = (now: number): string => momentOf(now).time;

let posted = 0;
const salt = Math.random().toString(36).slice(2, 8).padEnd(6, "0");

/** Time, process, a random part for processes of other machines with the same number, and a counter. */
function newMessageId(now: number): string {
  posted += 1;
  return momentOf(now).id + posted.toString(36);
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
