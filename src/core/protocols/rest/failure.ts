import { messageOf } from "../../../contract/errors.ts";
import { type ApiError, readApiError } from "../api-error.ts";
import type { Endpoint } from "./providers.ts";

export interface Failure extends ApiError {
  /** How long the server asks us to wait. */
  retryAfterMs?: number;
  /** Worth another attempt: nothing was answered yet, and the server may think otherwise in a moment. */
  isTransient: boolean;
}

/** Which of our limits aborted the exchange. */
export class LimitReached {
  readonly what: "header" | "idle" | "total";
  readonly ms: number;
  constructor(what: LimitReached["what"], ms: number) {
    this.what = what;
    this.ms = ms;
  }
}

/** The server refused: its own words, without the key it may quote. */
export function refusal(endpoint: Endpoint, response: Response, body: string, now: number): Failure {
  const { status } = response;
  const error = readApiError(body, status);
  const said = error.message === "" ? response.statusText : error.message;
  return {
    ...error,
    message: withoutKey(endpoint, `${endpoint.name} answered ${status}: ${said.slice(0, 2000)}`),
    retryAfterMs: retryAfter(response.headers.get("retry-after"), now),
    isTransient: status === 429 || status >= 500,
  };
}

/** The exchange itself failed: nobody there, a connection cut, one of our limits. */
export function breakdown(endpoint: Endpoint, error: unknown): Failure {
  const { name } = endpoint;
  if (error instanceof LimitReached) {
    const seconds = error.ms / 1000;
    const text = {
      header: `${name} didn't begin to answer within ${seconds} s`,
      idle: `${name} fell silent for ${seconds} s in the middle of its answer`,
      total: `${name} didn't finish its answer within ${seconds} s`,
    };
    return { category: error.what === "total" ? "server" : "network", message: text[error.what], isTransient: false };
  }
  // fetch says "fetch failed"; what failed is its cause.
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const message = withoutKey(endpoint, `${name}: ${messageOf(cause) || messageOf(error)}`);
  return { category: "network", message, isTransient: false };
}

function withoutKey({ key }: Endpoint, message: string): string {
  return key === undefined ? message : message.replaceAll(key, "[key]");
}

/** Seconds, or a date. */
function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
