import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { AppError } from "../../contract/errors.ts";
import type { Log } from "../base/log.ts";
import {
  checkAccess,
  checkContentType,
  checkCookie,
  checkHost,
  checkOrigin,
  checkTarget,
  isLocal,
  isSafe,
  urlOf,
} from "./access/gate.ts";
import { Lasting } from "./access/lasting.ts";
import { DEFAULT_LIMITS, type Limits } from "./access/limits.ts";
import { parseJson, readBody } from "./body.ts";
import { problemReply } from "./problem.ts";
import { setSafeHeaders, writeReply } from "./reply.ts";
import type { Access, Exchange, Identity, Params, Reply, Route, UpgradeRoute } from "./route.ts";
import { createRouter, type Match } from "./router.ts";
import { refuseUpgrade } from "./upgrade.ts";
import { whenLost } from "./when-lost.ts";

export interface AppOptions {
  routes: readonly Route[];
  upgrades?: readonly UpgradeRoute[];
  /** The exact values of the Host header that are ours, lower case. Asked at each request: the port is known late. */
  hosts: () => readonly string[];
  authenticate(request: IncomingMessage, url: URL): Identity | undefined;
  /** GETs that no route takes: the files of a page. Open to everybody. */
  fallback?: (exchange: Exchange) => Promise<Reply | undefined> | Reply | undefined;
  log?: Log;
  limits?: Partial<Limits>;
  /** Another shape of error body than RFC 9457. */
  problem?: (error: unknown) => Reply;
  /** How often whoever stays connected is asked again, if not as usual. */
  askAgainMs?: number;
  /** Called when a request begins; what it returns, when its response is over. `undefined`: no route took it. */
  watch?: (route: Route | undefined) => (status: number) => void;
}

export interface App {
  routes: readonly Route[];
  upgrades: readonly UpgradeRoute[];
  limits: Limits;
  handle(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends the responses that stream, so that the server can stop; their clients connect again. */
  endStreams(): void;
}

/** Host → route → access → origin, content type → the route → its reply, or the problem. The order is the security. */
export function createApp(options: AppOptions): App {
  const { routes, upgrades = [], problem = problemReply, log } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const route = createRouter(routes);
  const upgradeRoute = createRouter(upgrades);
  const open = new Map<ServerResponse, AbortController>();
  const lasting = new Lasting(options.askAgainMs);
  let isEnding = false;

  const isAllowed = (access: Access, request: IncomingMessage, url: URL): boolean => {
    try {
      checkAccess(access, options.authenticate(request, url), isLocal(request));
      return true;
    } catch (error) {
      // Also when it can't be known: a disk that fails must not keep a door open.
      if (!(error instanceof AppError)) log?.error("asking again failed", { url: url.pathname, error });
      return false;
    }
  };

  const serve = async (request: IncomingMessage, response: ServerResponse, gone: AbortController): Promise<void> => {
    let finished: (status: number) => void = () => {};
    gone.signal.addEventListener("abort", () => finished(response.statusCode));
    try {
      setSafeHeaders(response);
      const hosts = options.hosts();
      const host = checkHost(request.rawHeaders, hosts);
      const path = checkTarget(request.url ?? "");
      const url = urlOf(host, request.url ?? "");
      const method = request.method === "HEAD" ? "GET" : (request.method ?? "");
      const match = route(method, path);
      const found = match && "found" in match ? match.found : undefined;
      finished = options.watch?.(found) ?? finished;
      const identity = options.authenticate(request, url);
      const exchange = exchangeOf(request, response, url, identity, gone.signal, limits);
      if (found === undefined || match === undefined || !("found" in match)) {
        return answer(response, await withoutRoute(method, path, match, exchange, response, options.fallback));
      }
      checkAccess(found.access, identity, isLocal(request));
      if (found.access !== "open" || !isSafe(method)) checkOrigin(request.headers, host, hosts);
      if (!isSafe(method)) {
        checkCookie(request.headers, identity);
        checkContentType(request.headers, found.accepts ?? JSON_ONLY);
      }
      if (isEnding && found.access !== "open") throw ending(response);
      const forget = lasting.keep({
        isAllowed: () => isAllowed(found.access, request, url),
        end: () => response.destroy(),
      });
      gone.signal.addEventListener("abort", forget);
      answer(response, await found.handle({ ...exchange, params: match.params }));
    } catch (error) {
      if (gone.signal.aborted) return void response.destroy();
      if (!(error instanceof AppError))
        log?.error("request failed", { method: request.method, url: request.url, error });
      if (response.headersSent) return void response.destroy(); // half an answer must not look like a whole one
      answer(response, problem(error));
    }
  };

  return {
    routes,
    upgrades,
    limits,
    handle(request, response) {
      const gone = new AbortController();
      open.set(response, gone);
      const over = () => {
        open.delete(response);
        forget();
        gone.abort();
      };
      const forget = whenLost(request.socket, over);
      response.on("error", () => response.destroy()); // a client that went away is no event
      response.on("finish", () => discardRest(request));
      response.on("close", over);
      void serve(request, response, gone);
    },
    upgrade(request, socket, head) {
      socket.on("error", () => socket.destroy());
      try {
        const hosts = options.hosts();
        const host = checkHost(request.rawHeaders, hosts);
        const path = checkTarget(request.url ?? "");
        const url = urlOf(host, request.url ?? "");
        checkOrigin(request.headers, host, hosts);
        const match = upgradeRoute("GET", path);
        const identity = options.authenticate(request, url);
        // Somebody without a token does not learn which paths there are.
        checkAccess(match && "found" in match ? match.found.access : "read", identity, isLocal(request));
        if (match === undefined || !("found" in match)) throw new AppError("http.not_found", `no socket at ${path}`);
        const { access } = match.found;
        const forget = lasting.keep({ isAllowed: () => isAllowed(access, request, url), end: () => socket.destroy() });
        socket.on("close", forget);
        match.found.accept({ request, url, params: match.params, identity }, socket, head);
      } catch (error) {
        if (!(error instanceof AppError)) log?.error("upgrade failed", { url: request.url, error });
        refuseUpgrade(socket, problem(error));
      }
    },
    endStreams() {
      isEnding = true;
      for (const [response, gone] of open) {
        if (!response.headersSent) continue;
        gone.abort();
        response.end();
      }
    },
  };
}

/** What comes over a connection that is still open would hang until it is cut; its client had better come back. */
function ending(response: ServerResponse): AppError {
  response.setHeader("connection", "close");
  return new AppError("server.not_ready", "the server is stopping");
}

const JSON_ONLY: readonly string[] = ["application/json"];

async function withoutRoute(
  method: string,
  path: string,
  match: Match<Route>,
  exchange: Exchange,
  response: ServerResponse,
  fallback: AppOptions["fallback"],
): Promise<Reply | undefined> {
  if (match !== undefined && "allow" in match) {
    response.setHeader("allow", match.allow.join(", "));
    throw new AppError("http.method", `${path} takes ${match.allow.join(", ")}`);
  }
  if (method !== "GET" || fallback === undefined) throw new AppError("http.not_found", `nothing at ${path}`);
  return fallback(exchange);
}

function exchangeOf(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  identity: Identity | undefined,
  signal: AbortSignal,
  limits: Limits,
): Exchange {
  let body: Promise<Buffer> | undefined;
  const bytes = (limit = limits.bodyBytes) => (body ??= readBody(request, limit));
  const params: Params = {};
  const json = async (limit?: number) => parseJson(await bytes(limit));
  return { request, response, url, params, identity, signal, bytes, json };
}

function answer(response: ServerResponse, reply: Reply | undefined): void {
  if (reply !== undefined) writeReply(response, reply);
}

/**
 * What is left of a body nobody wants is thrown away for a moment, so that the client reads the answer instead of a reset
 * connection; then the connection is closed.
 */
function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS);
  request.on("end", () => clearTimeout(timer)).on("close", () => clearTimeout(timer));
  request.resume();
}

const LINGER_MS = 500;
