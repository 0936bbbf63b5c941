import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/**
 * Who may call. `open`: anybody. `loopback`: anybody on this machine, elsewhere whoever has a token. The others name the scope
 * that the token must carry; `all` includes each of them. `run` is for the agent of a run, and nobody else.
 */
export type Access = "open" | "loopback" | Scope | "run";
export type Scope = "read" | "import" | "all";

export interface Identity {
  /** The token's name, "cookie", or "socket". */
  name: string;
  scope: Scope | "run";
  /** The run that a token of scope `run` belongs to. */
  run?: string;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Params = Readonly<Record<string, string>>;

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  params: Params;
  identity: Identity | undefined;
  /** Aborts when the client is gone, and for a response that streams also when the server stops. */
  signal: AbortSignal;
  /** The body. `http.too_large` beyond the limit, before the rest is taken. */
  bytes(limit?: number): Promise<Buffer>;
  /** The body as JSON; an empty one is `undefined`. */
  json(limit?: number): Promise<unknown>;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  text?: string;
  bytes?: Uint8Array;
}

export interface Route {
  method: Method;
  /** `/api/v1/runs/{run}`: a part in braces is one segment, decoded. */
  path: string;
  access: Access;
  /** Content types of the body; JSON when nothing is said. Others than JSON, or any, are for bytes that are only stored. */
  accepts?: readonly string[];
  /** `undefined`: the response was, or is being, written by the route itself. */
  handle(exchange: Exchange): Promise<Reply | undefined> | Reply | undefined;
}

export interface UpgradeRoute {
  path: string;
  access: Access;
  accept(exchange: Pick<Exchange, "request" | "url" | "params" | "identity">, socket: Duplex, head: Buffer): void;
}
