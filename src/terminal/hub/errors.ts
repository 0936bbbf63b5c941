import { AppError, type ErrorCode, httpStatusOf } from "../../contract/errors.ts";
import type { Reply } from "../../lib/http/route.ts";

/** In the shape and with the codes that programs for the original expect. */
export function problem(error: unknown): Reply {
  if (!(error instanceof AppError)) {
    return { status: 500, json: { error: { code: "INTERNAL", message: "the hub failed; its log says how" } } };
  }
  const status = httpStatusOf(error.code);
  const code = CODES[error.code] ?? (status < 500 ? "BAD_REQUEST" : "INTERNAL");
  return { status, json: { error: { code, message: error.message } } };
}

const CODES: Partial<Record<ErrorCode, string>> = {
  "auth.required": "UNAUTHORIZED",
  "auth.scope": "UNAUTHORIZED",
  "hub.not_found": "SESSION_NOT_FOUND",
  "http.not_found": "NOT_FOUND",
  "hub.upstream": "UPSTREAM_ERROR",
};
