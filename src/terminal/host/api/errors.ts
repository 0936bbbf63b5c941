import { AppError, type ErrorCode, httpStatusOf, messageOf } from "../../../contract/errors.ts";
import type { Reply } from "../../../lib/http/route.ts";

/** Errors in the shape and with the codes that programs for the original expect. */
export function errorBody(error: unknown): { code: string; message: string } {
  if (!(error instanceof AppError)) return { code: "INTERNAL", message: "the host failed; its log says how" };
  return {
    code: CODES[error.code] ?? (httpStatusOf(error.code) < 500 ? "BAD_REQUEST" : "INTERNAL"),
    message: error.message,
  };
}

export function problem(error: unknown): Reply {
  const status = error instanceof AppError ? httpStatusOf(error.code) : 500;
  // A signal that isn't what was asked for is told as one string: an agent reads it.
  if (error instanceof AppError && error.details.schema === true)
    return { status: 422, json: { error: messageOf(error) } };
  return { status, json: { error: errorBody(error) } };
}

const CODES: Partial<Record<ErrorCode, string>> = {
  "terminal.not_ready": "NOT_READY",
  "terminal.exited": "EXITED",
  "terminal.no_driver": "NO_DRIVER",
  "terminal.busy": "SWITCH_IN_PROGRESS",
  "auth.required": "UNAUTHORIZED",
  "auth.scope": "UNAUTHORIZED",
  "http.not_found": "NOT_FOUND",
  "platform.unsupported": "NOT_IMPLEMENTED",
};
