import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { AppError } from "../../../contract/errors.ts";
import type { Access, Identity } from "../route.ts";

/**
 * The checks before a route runs: pure, each throws what is wrong. A web page anywhere can make a browser send requests here,
 * and a name that points to 127.0.0.1 makes them look local: hence the exact list of hosts, before anything else.
 */

/** The one Host header, in the list. `*` is for servers that are reached by names nobody knows beforehand, as in a pod. */
export function checkHost(rawHeaders: readonly string[], hosts: readonly string[]): string {
  const names = rawHeaders.filter((_, at) => at % 2 === 0 && rawHeaders[at]?.toLowerCase() === "host");
  const host = rawHeaders[rawHeaders.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === "host") + 1];
  if (names.length !== 1 || host === undefined || !/^[\w.:[\]-]+$/.test(host)) {
    throw new AppError("http.invalid", "a request needs exactly one Host header");
  }
  const name = host.toLowerCase();
  if (!hosts.includes(name) && !hosts.includes("*")) {
    throw new AppError("http.forbidden", `this server does not answer to the name ${host}`);
  }
  return name;
}

/** The path as sent, without the query. Dot segments and the like are refused, not tidied: no client of ours sends them. */
export function checkTarget(target: string): string {
  const path = target.split("?", 1)[0] ?? "";
  const decoded = decode(path);
  if (!path.startsWith("/") || decoded === undefined || BAD_PATH.test(path) || BAD_SEGMENT.test(decoded)) {
    throw new AppError("http.invalid", "this path is not one a client of this server would ask for");
  }
  return path;
}

export function urlOf(host: string, target: string): URL {
  const text = `http://${host}${target}`;
  if (!URL.canParse(text)) throw new AppError("http.invalid", "this is no address");
  return new URL(text);
}

/** Raw: controls, blanks, backslash, fragment. */
const BAD_PATH = /[\u0000-\u0020\u007f-\uffff\\#]/;
/** Decoded: `.` and `..` as segments between either kind of slash, and controls. */
const BAD_SEGMENT = /(?:^|[/\\])\.{1,2}(?:[/\\]|$)|[\u0000-\u001f\u007f]/;

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** A browser says where a request comes from; whatever is not a browser says nothing and is judged by its token alone. */
export function checkOrigin(headers: IncomingHttpHeaders, host: string, hosts: readonly string[]): void {
  const { origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined && ![...hosts, host].some((name) => isOriginOf(origin, name))) {
    throw new AppError("http.forbidden", "a page of another origin may not do this");
  }
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    throw new AppError("http.forbidden", "a request from another site may not do this");
  }
}

/** A cookie comes by itself, so whoever changes something with it must be seen to be our page. */
export function checkCookie(headers: IncomingHttpHeaders, identity: Identity | undefined): void {
  if (identity?.name !== "cookie" || headers.origin !== undefined || headers["sec-fetch-site"] !== undefined) return;
  throw new AppError("http.forbidden", "a browser says where its requests come from; programs use a token");
}

const isOriginOf = (origin: string, host: string): boolean =>
  origin.toLowerCase() === `http://${host}` || origin.toLowerCase() === `https://${host}`;

/** A body must be of a type that a page of another origin can't send without a preflight, which is never granted. */
export function checkContentType(headers: IncomingHttpHeaders, accepts: readonly string[]): void {
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  const refused = type === undefined ? hasBody : !accepts.includes(type) && !accepts.includes("*/*");
  if (refused || (headers["content-encoding"] ?? "identity") !== "identity") {
    throw new AppError("http.media_type", `the body must be sent plain, with Content-Type: ${accepts.join(" or ")}`);
  }
}

export function checkAccess(access: Access, identity: Identity | undefined, local: boolean): void {
  if (access === "open" || (access === "loopback" && local)) return;
  if (identity === undefined) {
    throw new AppError("auth.required", "this needs a token (Authorization: Bearer …) or a signed-in browser");
  }
  const asks = access === "loopback" ? "read" : access;
  const enough = identity.scope === asks || (identity.scope === "all" && asks !== "run");
  if (!enough) {
    throw new AppError("auth.scope", `the token "${identity.name}" is for ${identity.scope}; this needs ${access}`);
  }
}

/** A peer on this machine, and no proxy in between that would make everybody look like one. A unix socket has no address. */
export function isLocal({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">): boolean {
  const forwarded = Object.keys(headers).some((name) => name === "forwarded" || name.startsWith("x-forwarded-"));
  const address = socket.remoteAddress;
  return !forwarded && (address === undefined || /^(::ffff:)?127\.|^::1$/.test(address));
}

export const isSafe = (method: string | undefined): boolean =>
  method === "GET" || method === "HEAD" || method === "OPTIONS";
