import { AppError } from "../../../../contract/errors.ts";
import { shorten } from "../../../../contract/ids.ts";
import { postMessage } from "../../../../core/store/bus/bus.ts";
import { messagesBackward, readMessages } from "../../../../core/store/bus/bus-reader.ts";
import { followBus } from "../../../../core/tasks/follow-bus.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { parseDuration } from "../../../../lib/command/duration.ts";
import { printable } from "../../../../lib/text/printable.ts";
import { wholeBody } from "./message-line.ts";
import { type BusPlace, placeOf } from "./place.ts";
import type { PostValues } from "./post.ts";

/** Posts a question and waits for its answer. A plain "no" ends with exit code 1, so that a script can go by it. */
export async function ask(
  values: PostValues & { timeout?: string },
  words: readonly string[],
  context: Context,
): Promise<number> {
  const limitMs = values.timeout === undefined ? undefined : parseDuration("--timeout", values.timeout);
  const place = await placeOf(values, context);
  const { path, project, task, run } = place;
  const since = readMessages(path, { limit: 1 }).cursor;
  const draft = { type: "QUESTION", project, task, run, parents: values.parent, links: values.link };
  const { clock, stdout, stderr } = context;
  const posted = { now: clock.now(), durable: values.durable };
  const id = await postMessage(path, { ...draft, body: words.join(" ") }, posted);
  stderr.write(`waiting for an answer: cox bus answer ${where(place)}${id} "…"\n`);
  const text = await answerTo(id, path, since, limitMs, context);
  if (text === undefined) throw new AppError("timeout", `question ${id}: no answer within ${values.timeout}`);
  stdout.write(`${printable(text).trimEnd()}\n`);
  return /^\s*(?:no|n)\s*$/i.test(text) ? 1 : 0;
}

async function answerTo(
  id: string,
  path: string,
  since: string,
  limitMs: number | undefined,
  { clock }: Context,
): Promise<string | undefined> {
  const stop = new AbortController();
  const forget = limitMs === undefined ? undefined : clock.after(limitMs, () => stop.abort());
  try {
    for await (const { messages } of followBus(path, { since, signal: stop.signal })) {
      const found = messages.find(({ type, parents }) => type === "ANSWER" && parents.includes(id));
      if (found !== undefined) return wholeBody(path, found);
    }
    return undefined;
  } finally {
    forget?.();
  }
}

export async function answer(values: PostValues, words: readonly string[], context: Context): Promise<number> {
  const [id = "", ...text] = words;
  const { path, project, task, run } = await placeOf(values, context);
  requireQuestion(path, id);
  const draft = { type: "ANSWER", project, task, run, parents: [id], links: values.link, body: text.join(" ") };
  const posted = await postMessage(path, draft, { now: context.clock.now(), durable: values.durable });
  context.stdout.write(`${posted}\n`);
  return 0;
}

/** An answer to nobody would be lost in silence. */
function requireQuestion(path: string, id: string): void {
  for (const { message } of messagesBackward(path)) if (message.id === id && message.type === "QUESTION") return;
  throw new AppError(
    "request.not_found",
    `question ${shorten(id)}: not on ${path}; name its bus with --project and --task`,
  );
}

function where({ project, task }: BusPlace): string {
  return task === undefined ? `--project ${project} ` : `--project ${project} --task ${task} `;
}
