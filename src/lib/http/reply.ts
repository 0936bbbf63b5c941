import type { ServerResponse } from "node:http";
import type { Reply } from "./route.ts";

/** On every response. A route may loosen what it must; the page sets its own content policy. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

export function setSafeHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
}

export function writeReply(response: ServerResponse, reply: Reply): void {
  const status = reply.status ?? (isEmpty(reply) ? 204 : 200);
  response.statusCode = status;
  const [type, body] = contentOf(reply);
  if (type !== undefined) response.setHeader("content-type", type);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  if (body === undefined) return void response.end();
  response.setHeader("content-length", body.length);
  response.end(body);
}

const isEmpty = ({ json, text, bytes }: Reply): boolean =>
  json === undefined && text === undefined && bytes === undefined;

function contentOf({ json, text, bytes }: Reply): [type?: string, body?: Uint8Array] {
  if (json !== undefined) return ["application/json", Buffer.from(JSON.stringify(json))];
  if (text !== undefined) return ["text/plain; charset=utf-8", Buffer.from(text)];
  if (bytes !== undefined) return ["application/octet-stream", bytes];
  return [];
}
