import { expect, test } from "vitest";
import { readApiError } from "./api-error.ts";

const nested = JSON.stringify({
  error: {
    code: 429,
    message: JSON.stringify({ error: { code: 429, message: "Quota exceeded", status: "RESOURCE_EXHAUSTED" } }),
    status: "Too Many Requests",
  },
});

test.each([
  [
    '{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}',
    undefined,
    "API key not valid.",
    "auth",
    400,
  ],
  [nested, undefined, "Quota exceeded", "rate_limit", 429],
  [
    '{"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}}',
    400,
    "too long",
    "context",
    400,
  ],
  ['{"error":{"message":"no funds","code":"insufficient_quota"}}', 429, "no funds", "credits", 429],
  ['{"error":"overloaded"}', 503, "overloaded", "server", 503],
  ['{"detail":"nope"}', 403, "nope", "auth", 403],
  ["unexpected status 401 Unauthorized: x", undefined, "unexpected status 401 Unauthorized: x", "auth", 401],
  ["models/bad-model is not found", undefined, "models/bad-model is not found", "model", undefined],
  [
    "exception TypeError: fetch failed sending request",
    undefined,
    "exception TypeError: fetch failed sending request",
    "network",
    undefined,
  ],
  ["brace { yourself", 500, "brace { yourself", "server", 500],
  ["", 404, "", "model", 404],
] as const)("%s", (text, status, message, category, httpStatus) => {
  expect(readApiError(text, status)).toEqual({ message, category, httpStatus });
});
