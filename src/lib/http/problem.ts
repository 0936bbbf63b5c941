import type { Problem } from "../../contract/api/values.ts";
import { AppError, httpStatusOf } from "../../contract/errors.ts";
import type { Reply } from "./route.ts";

/** RFC 9457: `code` is what programs go by, `title` its plain name. */
export function problemOf(error: unknown): { status: number; body: Problem } {
  // Messages of our own errors are written for whoever asked; anything else may name what is nobody's business.
  const known =
    error instanceof AppError ? error : new AppError("internal", "the server failed; its log says how and where");
  const status = httpStatusOf(known.code);
  const body: Problem = {
    type: `urn:coxswain:problem:${known.code}`,
    title: known.code.replace(/[._]/g, " "),
    status,
    detail: known.message,
    code: known.code,
  };
  if (Object.keys(known.details).length > 0) body.details = known.details;
  return { status, body };
}

export function problemReply(error: unknown): Reply {
  const { status, body } = problemOf(error);
  const headers: Record<string, string> = { "content-type": "application/problem+json" };
  if (status === 401) headers["www-authenticate"] = 'Bearer realm="coxswain"';
  return { status, headers, json: body };
}
