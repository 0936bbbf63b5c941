import { AppError } from "../../../../contract/errors.ts";
import { postMessage } from "../../../../core/store/bus/bus.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { placeOf } from "./place.ts";

export interface PostValues {
  project?: string;
  task?: string;
  type?: string;
  body?: string;
  parent?: string[];
  link?: string[];
  durable?: boolean;
}

export async function post(values: PostValues, words: readonly string[], context: Context): Promise<number> {
  const body = await bodyOf(values, words, context);
  const { path, project, task, run } = await placeOf(values, context);
  const draft = { type: values.type ?? "INFO", project, task, run, parents: values.parent, links: values.link, body };
  const id = await postMessage(path, draft, { now: context.clock.now(), durable: values.durable });
  context.stdout.write(`${id}\n`);
  return 0;
}

export async function bodyOf({ body }: PostValues, words: readonly string[], { stdin }: Context): Promise<string> {
  if (body !== undefined && words.length > 0) throw invalid("give the message as words or with --body, not both");
  if (body !== undefined && body !== "-") return body;
  if (words.length > 0) return words.join(" ");
  if (body === undefined && stdin.isTTY) throw invalid('no message; say it: cox bus post "…"');
  const text = await readText(stdin);
  if (text !== "") return text;
  throw invalid("no message: stdin is empty");
}

const MAX_BYTES = 64 * 1024 * 1024;

/** Byte for byte as it came, or not at all: what is no text would come out as something else. */
async function readText(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > MAX_BYTES) throw new AppError("bus.too_large", "cox bus post: more than 64 MB; post the path of a file");
    chunks.push(bytes);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw invalid("stdin is not UTF-8 text; keep it in a file and post its path");
  }
}

const invalid = (why: string) => new AppError("usage.invalid", `cox bus post: ${why}`);
