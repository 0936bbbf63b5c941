import type { ErrorCategory, EventOf } from "../../../contract/events.ts";
import { categoryOfStatus, errorEvent } from "../category.ts";
import { type Json, numberOf, objectOf, textOf } from "../read.ts";

const categories: Readonly<Record<string, ErrorCategory>> = {
  unauthorized: "auth",
  contextWindowExceeded: "context",
  sessionBudgetExceeded: "credits",
  usageLimitExceeded: "rate_limit",
  rateLimitExceeded: "rate_limit",
  modelNotFound: "model",
  internalServerError: "server",
  serverOverloaded: "server",
  flexUnavailable: "server",
  policyCapacityUnavailable: "server",
};

/** Errors of the connection: with the HTTP status if there was one, else the server was not reached. */
const connection = new Set([
  "httpConnectionFailed",
  "responseStreamConnectionFailed",
  "responseStreamDisconnected",
  "responseTooManyFailedAttempts",
]);

export interface CodexTrouble {
  message: string;
  category: ErrorCategory;
  httpStatus?: number;
}

/** `codexErrorInfo` is a word, or an object of one word with the status. */
export function troubleOf(error: Json): CodexTrouble {
  const info = error.codexErrorInfo;
  const [word, details] = typeof info === "string" ? [info, {}] : (Object.entries(objectOf(info))[0] ?? ["", {}]);
  const httpStatus = numberOf(objectOf(details).httpStatusCode);
  const reached = connection.has(word)
    ? httpStatus === undefined
      ? "network"
      : categoryOfStatus(httpStatus)
    : "other";
  return { message: messageOf(error), category: categories[word] ?? reached, httpStatus };
}

export function errorOf(turn: string | undefined, error: Json): EventOf<"error"> {
  return errorEvent({ turn, ...troubleOf(error) });
}

/** The API's own body comes through as the message: its sentence is enough. */
function messageOf(error: Json): string {
  const message = textOf(error.message) ?? "codex gave no reason";
  const details = textOf(error.additionalDetails);
  const told = details === undefined ? message : `${message} (${details})`;
  if (!message.startsWith("{")) return told;
  try {
    return textOf(objectOf(objectOf(JSON.parse(message)).error).message) ?? told;
  } catch {
    return told; // not JSON after all
  }
}
