import type { BusMessage, BusPage } from "../../../../contract/bus.ts";
import { AppError } from "../../../../contract/errors.ts";
import { shorten } from "../../../../contract/ids.ts";
import type { Clock } from "../../../../lib/base/clock.ts";
import { callRun } from "../../../../lib/client/agent-socket.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { parseDuration } from "../../../../lib/command/duration.ts";
import { oneLine, printable, printableJson } from "../../../../lib/text/printable.ts";
import { refuseOthers } from "../../run-socket.ts";
import { messageLines } from "./message-line.ts";
import { bodyOf, type PostValues } from "./post.ts";
import { limitOf, type ReadValues } from "./read.ts";

const PAGE = 200;
const RECENT = 10;
const LOOK_MS = 500;

export type BusValues = PostValues & ReadValues & { timeout?: string };
export type BusVerb = "post" | "read" | "follow" | "ask" | "answer";

/** The bus of the run's own task, where its file can't be seen. */
export async function busThroughSocket(
  socket: string,
  verb: BusVerb,
  values: BusValues,
  words: readonly string[],
  context: Context,
): Promise<number> {
  refuseOthers(`bus ${verb}`, values, ["type", "body", "parent", "link", "since", "limit", "timeout", "json"]);
  const bus = new RemoteBus(socket, context.clock);
  const { stdout } = context;
  switch (verb) {
    case "post": {
      const body = await bodyOf(values, words, context);
      stdout.write(`${await bus.post(values.type ?? "INFO", body, values)}\n`);
      return 0;
    }
    case "read":
      return read(bus, values, context);
    case "follow": {
      const { since, type } = values;
      const recent = since === undefined ? await bus.page({ limit: RECENT, type }) : { messages: [], cursor: since };
      for (const message of recent.messages) stdout.write(lineOf(message, values));
      for await (const { messages } of bus.follow(recent.cursor)) {
        for (const message of messages) if (fits(message, values)) stdout.write(lineOf(message, values));
      }
      return 0;
    }
    case "ask":
      return ask(bus, values, words, context);
    case "answer": {
      const [id = "", ...text] = words;
      await bus.requireQuestion(id);
      stdout.write(`${await bus.post("ANSWER", text.join(" "), { ...values, parent: [id] })}\n`);
      return 0;
    }
  }
}

async function read(bus: RemoteBus, values: ReadValues, { stdout, stderr }: Context): Promise<number> {
  const { since, type } = values;
  const limit = limitOf(values.limit);
  const pages = limit === undefined ? bus.all(since ?? "0") : [await bus.page({ since, limit, type })];
  const messages: BusMessage[] = [];
  let cursor = since ?? "0";
  for await (const page of pages) {
    cursor = page.cursor;
    for (const message of page.messages) {
      if (!fits(message, values)) continue;
      if (values.json) messages.push(message);
      else stdout.write(messageLines(message));
    }
  }
  if (values.json) stdout.write(`${printableJson({ messages, cursor })}\n`);
  else stderr.write(`cursor: ${cursor}\n`);
  return 0;
}

/** As through the file: a plain "no" ends with exit code 1. */
async function ask(bus: RemoteBus, values: BusValues, words: readonly string[], { stdout, stderr, clock }: Context) {
  const limitMs = values.timeout === undefined ? undefined : parseDuration("--timeout", values.timeout);
  const { cursor } = await bus.page({ limit: 1 });
  const id = await bus.post("QUESTION", words.join(" "), values);
  stderr.write(`waiting for an answer to ${id}\n`);
  const deadline = clock.monotonic() + (limitMs ?? Number.POSITIVE_INFINITY);
  for await (const { messages } of bus.follow(cursor)) {
    const answer = messages.find(({ type, parents }) => type === "ANSWER" && parents.includes(id));
    if (answer !== undefined) {
      const text = typeof answer.body === "string" ? answer.body : answer.body.head;
      stdout.write(`${printable(text).trimEnd()}\n`);
      return /^\s*(?:no|n)\s*$/i.test(text) ? 1 : 0;
    }
    if (clock.monotonic() >= deadline) break;
  }
  throw new AppError("timeout", `question ${id}: no answer within ${values.timeout}`);
}

class RemoteBus {
  readonly #socket: string;
  readonly #clock: Clock;

  constructor(socket: string, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
  }

  async post(type: string, body: string, { parent, link }: PostValues): Promise<string> {
    return (await callRun(this.#socket, "bus_post", { type, body, parents: parent, links: link })).id;
  }

  page(wanted: { since?: string; limit?: number; type?: string }): Promise<BusPage> {
    return callRun(this.#socket, "bus_read", wanted);
  }

  /** From a cursor to the end there is now. */
  async *all(since: string): AsyncGenerator<BusPage> {
    for (let cursor = since; ; ) {
      const page = await this.page({ since: cursor, limit: PAGE });
      yield page;
      if (page.messages.length < PAGE) return;
      cursor = page.cursor;
    }
  }

  /** Whatever comes, for ever; an empty page when nothing did. */
  async *follow(since: string): AsyncGenerator<BusPage> {
    for (let cursor = since; ; await this.#clock.sleep(LOOK_MS)) {
      const page = await this.page({ since: cursor, limit: PAGE });
      cursor = page.cursor;
      yield page;
    }
  }

  async requireQuestion(id: string): Promise<void> {
    for await (const { messages } of this.all("0")) {
      if (messages.some((message) => message.id === id && message.type === "QUESTION")) return;
    }
    throw new AppError("request.not_found", `question ${oneLine(shorten(id))}: not on the bus of this run's task`);
  }
}

const fits = ({ type }: BusMessage, values: ReadValues) => values.type === undefined || values.type === type;

const lineOf = (message: BusMessage, { json }: ReadValues) =>
  json ? `${printableJson(message)}\n` : messageLines(message);
