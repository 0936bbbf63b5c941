import type { IncomingMessage } from "node:http";
import { AppError } from "../../contract/errors.ts";

/** The whole body, or `http.too_large` as soon as it is known to be. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLarge = () => new AppError("http.too_large", `the body is larger than ${limit} bytes`, { limit });
  if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const stop = () => {
      request.off("data", take).off("end", end).off("error", fail).off("close", gone);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) return void chunks.push(chunk);
      stop();
      reject(tooLarge());
    };
    const end = () => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const fail = (cause: unknown) => {
      stop();
      reject(new AppError("http.invalid", "the body ended before it was complete", {}, { cause }));
    };
    const gone = () => fail(undefined);
    request.on("data", take).on("end", end).on("error", fail).on("close", gone);
  });
}

/** Empty is `undefined`: some commands need no words. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  // Far deeper than any body of ours; whatever walks it later (stringify, a schema) would overflow its stack.
  if (depthOf(bytes) > MAX_DEPTH) throw new AppError("http.invalid", `the body is nested deeper than ${MAX_DEPTH}`);
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch (cause) {
    throw new AppError("http.invalid", "the body is not JSON in UTF-8", {}, { cause });
  }
}

const MAX_DEPTH = 64;
const utf8 = new TextDecoder("utf-8", { fatal: true });

function depthOf(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return deepest;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
