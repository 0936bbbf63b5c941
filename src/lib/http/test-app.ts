import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { bearerOf } from "./access/token.ts";
import { type AppOptions, createApp } from "./app.ts";
import { type Listening, listen } from "./listen.ts";
import type { Route } from "./route.ts";

/** For tests: an app on a free port whose tokens are "read", "import" and "all". */
export async function startApp(
  routes: readonly Route[],
  options: Partial<AppOptions> = {},
): Promise<Listening & { hosts: readonly string[] }> {
  const hosts: string[] = [];
  const app = createApp({
    routes,
    hosts: () => hosts,
    authenticate: (request) => {
      const scope = bearerOf(request);
      return scope === "read" || scope === "import" || scope === "all" ? { name: scope, scope } : undefined;
    },
    ...options,
  });
  const listening = await listen(app, { host: "127.0.0.1", port: 0 });
  hosts.push(`127.0.0.1:${listening.port}`, `localhost:${listening.port}`);
  return { ...listening, hosts };
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface RequestParts {
  method?: string;
  headers?: Readonly<Record<string, string | undefined>>;
  body?: string | Buffer;
}

/** Without the courtesies of fetch: every header is ours to forge. */
export function ask(url: string, { method = "GET", headers = {}, body }: RequestParts = {}): Promise<Answer> {
  const { hostname, port, pathname, search } = new URL(url);
  const path = url.slice(url.indexOf("/", 8)) || pathname + search;
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const given = Object.entries(headers).filter(([, value]) => value !== undefined);
    const all = { ...length, ...Object.fromEntries(given) };
    const request = httpRequest({ hostname, port, path, method, headers: all, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** Bytes as they are, and all that comes back until the server closes. */
export function rawAsk(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => (answer += chunk.toString()));
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

/** `Promise.withResolvers`, which Node 20 lacks. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
