import { closeSync, existsSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../../../contract/errors.ts";
import { readMessages } from "../../../../core/store/bus/bus-reader.ts";
import { followBus } from "../../../../core/tasks/follow-bus.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { openJournal } from "../../../../lib/files/journal-line.ts";
import { messageJson, messageLines } from "./message-line.ts";
import { placeOf } from "./place.ts";
import type { ReadValues } from "./read.ts";

/** Shown before the first new message, so that one sees where one is. */
const RECENT = 10;

export async function followUntilInterrupted(values: ReadValues, context: Context): Promise<number> {
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  try {
    return await follow(values, context, stop.signal);
  } finally {
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
  }
}

export async function follow(values: ReadValues, context: Context, signal: AbortSignal): Promise<number> {
  const { path } = await placeOf(values, context);
  begin(path);
  const { since, type } = values;
  const show = (message: Parameters<typeof messageLines>[0]) =>
    context.stdout.write(values.json ? `${messageJson(path, message)}\n` : messageLines(message));
  const recent = since === undefined ? readMessages(path, { limit: RECENT, type }) : { messages: [], cursor: since };
  for (const message of recent.messages) show(message);
  for await (const { messages } of followBus(path, { since: recent.cursor, signal })) {
    for (const message of messages) if (type === undefined || message.type === type) show(message);
  }
  return 0;
}

/** There must be a file to watch; a task that is there gets its bus before its first message. */
function begin(path: string): void {
  if (!existsSync(dirname(path))) {
    throw new AppError("task.not_found", `cox bus follow: ${dirname(path)}: there is no such task or project yet`);
  }
  closeSync(openJournal(path));
}
