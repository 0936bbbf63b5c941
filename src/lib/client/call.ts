import { AppError, messageOf } from "../../contract/errors.ts";

export interface CallOptions {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  token?: string | undefined;
  json?: unknown;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface Answer {
  status: number;
  text: string;
  /** `undefined` when the body is no JSON. */
  json: unknown;
  retryAfter: string | null;
}

/** One request to a peer. Any answer is a value; nobody there, or too slow, is thrown. */
export async function call(url: string, options: CallOptions): Promise<Answer> {
  const { method = "GET", token, json, timeoutMs, signal } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      redirect: "error", // a token must not travel to where somebody else points
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await bounded(response);
    return { status: response.status, text, json: parse(text), retryAfter: response.headers.get("retry-after") };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new AppError(
      "host.unreachable",
      `${method} ${withoutSecrets(url)}: ${whyOf(cause, timeoutMs)}`,
      {},
      { cause },
    );
  }
}

export const isOk = ({ status }: Answer): boolean => status >= 200 && status < 300;

const MAX_BYTES = 4 * 1024 * 1024;

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error("its answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function whyOf(error: unknown, timeoutMs: number): string {
  if (error instanceof DOMException && error.name === "TimeoutError") return `no answer within ${timeoutMs / 1000} s`;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? cause.message : messageOf(error);
}

function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
