import type { BusMessage } from "../../../../contract/bus.ts";
import { AppError } from "../../../../contract/errors.ts";
import { plural } from "../../../../contract/words/figures.ts";
import { BusDecoder } from "../../../../core/store/bus/bus-decoder.ts";
import { decodeFile, offsetOf, readMessages } from "../../../../core/store/bus/bus-reader.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { writeAll } from "../../../../lib/command/write-all.ts";
import { messageJson, messageLines } from "./message-line.ts";
import { placeOf } from "./place.ts";

export interface ReadValues {
  project?: string;
  task?: string;
  since?: string;
  limit?: string;
  type?: string;
  json?: boolean;
}

export async function read(values: ReadValues, context: Context): Promise<number> {
  const { path } = await placeOf(values, context);
  const { stdout, stderr } = context;
  const reading = new Reading(path, values);
  if (values.json) {
    await writeAll(stdout, reading.json());
    return 0;
  }
  await writeAll(stdout, reading.lines());
  if (reading.damaged > 0) stderr.write(`${plural(reading.damaged, "damaged line")} left out\n`);
  stderr.write(`cursor: ${reading.cursor}\n`);
  return 0;
}

/** All of a bus in pieces, however long it is; or the few messages that a limit leaves. */
class Reading {
  cursor = "0";
  damaged = 0;
  readonly #path: string;
  readonly #values: ReadValues;

  constructor(path: string, values: ReadValues) {
    this.#path = path;
    this.#values = values;
  }

  *lines(): Generator<string> {
    for (const messages of this.#pieces()) for (const message of messages) yield messageLines(message);
  }

  /** One object, so that the cursor comes along. */
  *json(): Generator<string> {
    yield '{"messages":[';
    let between = "";
    for (const messages of this.#pieces()) {
      for (const message of messages) {
        yield `${between}\n${messageJson(this.#path, message)}`;
        between = ",";
      }
    }
    yield `],"cursor":${JSON.stringify(this.cursor)},"damaged":${this.damaged}}\n`;
  }

  *#pieces(): Generator<BusMessage[]> {
    const { since, type } = this.#values;
    const limit = limitOf(this.#values.limit);
    if (limit !== undefined) {
      const page = readMessages(this.#path, { since, limit, type });
      this.cursor = page.cursor;
      this.damaged = page.damaged;
      return yield page.messages;
    }
    const from = since === undefined ? 0 : offsetOf(this.#path, since);
    const decoder = new BusDecoder(from);
    for (const messages of decodeFile(this.#path, from, decoder)) {
      yield type === undefined ? messages : messages.filter((message) => message.type === type);
    }
    this.cursor = decoder.cursor;
    this.damaged = decoder.damaged;
  }
}

export function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new AppError("usage.invalid", `cox bus read: --limit ${JSON.stringify(text)}: not a number above 0`);
}
