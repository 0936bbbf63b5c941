import type { ErrorCategory } from "../../contract/events.ts";
import { categoryOfStatus, statusInText } from "./category.ts";
import { isObject, type Json, numberOf, objectOf, textOf } from "./read.ts";

export interface ApiError {
  message: string;
  category: ErrorCategory;
  httpStatus?: number;
}

/**
 * What a model's server said was wrong: the body of its answer, or the text in which a CLI quotes that body
 * (`[API Error: {"error":{"code":400,…}}]`). Servers and CLIs nest it, so the innermost message is taken.
 */
export function readApiError(text: string, status?: number): ApiError {
  const found = innermost(text);
  const httpStatus = status ?? httpStatusOf(found.body) ?? statusInText(text);
  return { message: found.message, httpStatus, category: categoryOf(found, httpStatus) };
}

interface Found {
  message: string;
  body: Json;
}

function innermost(text: string): Found {
  let found: Found = { message: text.trim(), body: {} };
  for (let depth = 0; depth < 3; depth += 1) {
    const body = bodyIn(found.message);
    const message = body && (textOf(body.message) ?? textOf(body.detail));
    if (body === undefined || message === undefined) break;
    found = { message, body: { ...body, ...found.body } };
  }
  return found;
}

/** The `error` object of the JSON within the text; some servers send it bare, some in a list of one. */
function bodyIn(text: string): Json | undefined {
  const from = text.indexOf("{");
  const to = text.lastIndexOf("}");
  if (from === -1 || to < from) return undefined;
  try {
    const parsed: unknown = JSON.parse(text.slice(from, to + 1));
    const { error } = objectOf(parsed);
    if (typeof error === "string") return { ...objectOf(parsed), message: error };
    return isObject(error) ? error : objectOf(parsed);
  } catch {
    return undefined; // braces that aren't JSON: the text is the message
  }
}

function httpStatusOf(body: Json): number | undefined {
  const code = numberOf(body.code) ?? numberOf(body.statusCode) ?? numberOf(body.status);
  return code !== undefined && code >= 400 && code < 600 ? code : undefined;
}

function categoryOf({ message, body }: Found, httpStatus: number | undefined): ErrorCategory {
  const named = [body.code, body.type, body.status].map((name) => names.get(name)).find((found) => found !== undefined);
  if (named !== undefined) return named;
  // 400 is said of everything, a wrong key (Gemini) and a prompt that is too long included; and CLIs drop the status.
  const byText = words.find(([pattern]) => pattern.test(message))?.[1];
  if (httpStatus === undefined || httpStatus === 400 || httpStatus === 422) return byText ?? "other";
  return categoryOfStatus(httpStatus);
}

/** `error.code`, `error.type` or `error.status` of OpenAI-compatible servers and of Google's. */
const names: ReadonlyMap<unknown, ErrorCategory> = new Map([
  ["invalid_api_key", "auth"],
  ["authentication_error", "auth"],
  ["UNAUTHENTICATED", "auth"],
  ["PERMISSION_DENIED", "auth"],
  ["insufficient_quota", "credits"],
  ["billing_error", "credits"],
  ["rate_limit_exceeded", "rate_limit"],
  ["rate_limit_error", "rate_limit"],
  ["RESOURCE_EXHAUSTED", "rate_limit"],
  ["model_not_found", "model"],
  ["context_length_exceeded", "context"],
  ["string_above_max_length", "context"],
  ["UNAVAILABLE", "server"],
  ["overloaded_error", "server"],
]);

const words: readonly (readonly [RegExp, ErrorCategory])[] = [
  [/api[ _-]?key|unauthori[sz]ed|not logged in|missing environment variable/i, "auth"],
  [/context (?:length|window)|maximum context|prompt is too long|too many tokens|token count/i, "context"],
  [/\bmodels?\b.*(?:not found|not exist|unknown)|(?:unknown|invalid) model/i, "model"],
  [/insufficient (?:credit|balance|fund|quota)|billing/i, "credits"],
  [/rate.?limit|quota|usage limit/i, "rate_limit"],
  [/fetch failed|ECONN|ENOTFOUND|connection (?:failed|refused|reset|closed)|network|timed out/i, "network"],
  [/overloaded|high demand|internal server error|unexpected server error/i, "server"],
];
