import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ChannelName } from "../../contract/notify.ts";
import { createFileExclusive, writeFileAtomic } from "../../lib/files/atomic-file.ts";
import { diskError, errnoOf } from "../../lib/files/disk-error.ts";
import { freeName, holderIn, takeFile } from "../../lib/files/holding/taken-file.ts";
import { isGone, ourselves } from "../../lib/process/holders/holder.ts";
import type { Home } from "../store/home.ts";
import type { NotifyMessage } from "./message.ts";

/** One message for one channel. */
export interface Envelope {
  message: NotifyMessage;
  channel: ChannelName;
  attempts: number;
  lastError: string;
}

/** `outbox/<due>-<channel>-<id>.json`: the name says when it is to be sent, so that a look into the folder costs one call. */
export interface Waiting {
  name: string;
  due: number;
  /** Somebody who lives is sending it. */
  taken: boolean;
}

const NAME = /^(\d{13})-[a-z]+-[\w-]+\.json(?:\.[\w-]+)?$/;

const outbox = (home: Home) => join(home.root, "outbox");
const failedFolder = (home: Home) => join(outbox(home), "failed");

export function putMessage(home: Home, channel: ChannelName, message: NotifyMessage, now: number): void {
  const envelope: Envelope = { message, channel, attempts: 0, lastError: "" };
  const path = join(outbox(home), nameOf(envelope, now));
  try {
    mkdirSync(outbox(home), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("put a message into the outbox", path, error);
  }
  createFileExclusive(path, JSON.stringify(envelope));
}

/** In the order they are due. */
export function waitingMessages(home: Home): Waiting[] {
  return namesIn(outbox(home)).flatMap((name) => {
    const due = NAME.exec(name)?.[1];
    if (due === undefined) return [];
    const holder = holderIn(name, ourselves());
    return [{ name, due: Number(due), taken: holder !== undefined && !isGone(holder) }];
  });
}

export interface Claimed {
  envelope: Envelope;
  /** Sent: it goes. */
  done(): void;
  /** Not sent: it waits until then. */
  later(error: string, due: number): void;
  /** Will not be sent any more; kept for a while, to be looked at. */
  giveUp(error: string): void;
}

/** Of several senders one gets it, and who dies with it leaves it to the next. */
export function claimMessage(home: Home, { name }: Waiting): Claimed | undefined {
  const mine = takeFile(join(outbox(home), name), ourselves());
  if (mine === undefined) return undefined;
  const envelope = readEnvelope(mine);
  if (envelope === undefined) {
    rmSync(mine, { force: true }); // damaged: there is nothing to send
    return undefined;
  }
  const settle = (change: Partial<Envelope>, path: string) => {
    try {
      writeFileAtomic(mine, JSON.stringify({ ...envelope, ...change }));
    } finally {
      renameSync(mine, path); // also when the disk is full: what keeps our name is ours as long as we live, and nobody sends it
    }
  };
  const tried = (lastError: string) => ({ attempts: envelope.attempts + 1, lastError });
  return {
    envelope,
    done: () => rmSync(mine, { force: true }),
    later: (error, due) => settle(tried(error), join(outbox(home), nameOf(envelope, due))),
    giveUp(error) {
      mkdirSync(failedFolder(home), { recursive: true, mode: 0o700 });
      settle(tried(error), join(failedFolder(home), freeName(name)));
    },
  };
}

export interface Listed extends Envelope {
  state: "waiting" | "failed";
  due: number;
}

/** What waits and what was given up, for people. */
export function listMessages(home: Home): Listed[] {
  const from = (folder: string, state: Listed["state"]) =>
    namesIn(folder).flatMap((name) => {
      const due = NAME.exec(name)?.[1];
      const envelope = due === undefined ? undefined : readEnvelope(join(folder, name));
      return envelope === undefined ? [] : [{ ...envelope, state, due: Number(due) }];
    });
  return [...from(failedFolder(home), "failed"), ...from(outbox(home), "waiting")];
}

export function dropOldFailures(home: Home, before: number): void {
  for (const name of namesIn(failedFolder(home))) {
    const path = join(failedFolder(home), name);
    if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before) < before) rmSync(path, { force: true });
  }
}

const nameOf = ({ channel, message }: Envelope, due: number) =>
  `${String(Math.ceil(due)).padStart(13, "0")}-${channel}-${message.id}.json`;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

function readEnvelope(path: string): Envelope | undefined {
  try {
    const value: Partial<Envelope> = JSON.parse(readFileSync(path, "utf8"));
    const { message, channel, attempts = 0, lastError = "" } = value;
    if (message === undefined || channel === undefined) return undefined;
    return { message, channel, attempts, lastError };
  } catch {
    return undefined; // gone meanwhile, or no envelope
  }
}
