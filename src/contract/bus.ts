import type { Body } from "./events.ts";

/**
 * Append-only messages between agents and people, per task and per project. Plain types and pure text, no schema library:
 * every `cox bus post` pays for what is loaded here.
 */
export interface BusMessage {
  id: string;
  time: string;
  type: string;
  project: string;
  /** "" on a project's bus. */
  task: string;
  /** The run that wrote it; "" when a person did. */
  run: string;
  /** Messages this one answers or follows. */
  parents: readonly string[];
  links: readonly string[];
  /** A large text lies in blobs/ beside the bus. */
  body: Body;
  /** What programs read of a lifecycle record; people read the body. */
  data?: Readonly<Record<string, unknown>>;
  /** Where to read on after this message. */
  cursor: string;
  /** Not written by cox: who wrote it, and whether all of it arrived, is not known. */
  unverified?: true;
}

/** What a writer says; id, time and place in the file are given to it. */
export interface BusDraft {
  type: string;
  project: string;
  task?: string;
  run?: string;
  parents?: readonly string[];
  links?: readonly string[];
  body: string;
  data?: Readonly<Record<string, unknown>>;
  /** Only for records that several writers may write and one must remain of. */
  id?: string;
}

export interface BusPage {
  messages: BusMessage[];
  /** Where to read on, also when there was nothing. */
  cursor: string;
  /** Places where there is no message: torn by a crash, or changed since. */
  damaged: number;
}

/** Types with a meaning to us or to people; any other of the same form is accepted too. */
export const messageTypes = [
  "RUN_START",
  "RUN_STOP",
  "RUN_CRASH",
  "TASK_STATE",
  "INFO",
  "WARNING",
  "ERROR",
  "FACT",
  "PROGRESS",
  "DECISION",
  "RESULT",
  "QUESTION",
  "ANSWER",
  "REVIEW",
  "USER",
] as const;

export const isMessageType = (text: string): boolean => /^[A-Z][A-Z0-9_]{0,39}$/.test(text);
export const isMessageId = (text: string): boolean => /^[A-Za-z0-9][\w:.-]{0,127}$/.test(text);

/** The one record of a run's start, or of its end, however many write it. */
export const lifecycleId = (runId: string, moment: "start" | "stop"): string => `${runId}:${moment}`;
/** Only fixed ids have a colon: readers drop the second of these. */
export const isFixedId = (id: string): boolean => id.includes(":");

/** The head of a record as read from a file, with the body that follows it; `undefined` when it is no message. */
export function messageFrom(
  head: Readonly<Record<string, unknown>>,
  body: Body,
  cursor: string,
): BusMessage | undefined {
  const { msg_id: id, type, data } = head;
  if (typeof id !== "string" || !isMessageId(id) || typeof type !== "string" || !isMessageType(type)) return undefined;
  const message: BusMessage = {
    id,
    time: textOf(head.ts),
    type,
    project: textOf(head.project_id),
    task: textOf(head.task_id),
    run: textOf(head.run_id),
    parents: textsOf(head.parents, "msg_id"),
    links: textsOf(head.links, "url"),
    body,
    cursor,
  };
  if (isObject(data)) message.data = data;
  return message;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Each is a text, or an object that has it as its `key`. */
function textsOf(value: unknown, key: string): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [];
  return items.map((item) => (isObject(item) ? item[key] : item)).filter((item) => typeof item === "string");
}
