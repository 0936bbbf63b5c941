import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { socketText } from "../../src/lib/http/socket-text.ts";
import { finished, root } from "./cox.ts";

export interface HostStart {
  cwd: string;
  env: NodeJS.ProcessEnv;
  flags?: readonly string[];
  command: readonly string[];
}

/** What came over the wire, looked at field by field. */
type Json = ReturnType<typeof JSON.parse>;

export interface Reply {
  status: number;
  text: string;
  json: Json;
}

/** `cox terminal` as a program, and its clients. */
export class HostedTerminal {
  readonly child: ChildProcess;
  readonly ended: ReturnType<typeof finished>;
  urls: string[] = [];
  token = "";
  sessionId = "";
  folder = "";

  constructor(child: ChildProcess) {
    this.child = child;
    this.ended = finished(child);
  }

  get url(): string {
    return this.urls[0] ?? "";
  }

  get socket(): string {
    return this.urls.find((url) => url.startsWith("unix:"))?.slice("unix:".length) ?? "";
  }

  get health(): string {
    return this.urls.at(-1) ?? "";
  }

  get(path: string, options?: AskOptions): Promise<Reply> {
    return ask(this.url, "GET", path, { token: this.token, ...options });
  }

  post(path: string, body: unknown = {}, options?: AskOptions): Promise<Reply> {
    return ask(this.url, "POST", path, { token: this.token, body, ...options });
  }

  put(path: string, body: unknown, options?: AskOptions): Promise<Reply> {
    return ask(this.url, "PUT", path, { token: this.token, body, ...options });
  }

  /** The screen as text, once it shows this. */
  async shows(pattern: RegExp): Promise<string> {
    for (;;) {
      const { text } = await this.get("/api/v1/screen/text");
      if (pattern.test(text)) return text;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  async agent(until: (agent: Json) => boolean = () => true): Promise<Json> {
    for (;;) {
      const { json } = await this.get("/api/v1/agent");
      if (until(json)) return json;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  ws(query: string, token: string | undefined = this.token): SocketClient {
    const auth = token === "" ? "" : `&token=${token}`;
    return new SocketClient(`${this.url.replace("http", "ws")}/ws?${query}${auth}`);
  }

  /** Ends it in the ordinary way. */
  async stop(): Promise<Awaited<ReturnType<typeof finished>>> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGTERM");
    return this.ended;
  }
}

export async function startTerminal(
  start: HostStart,
  done: typeof onTestFinished = onTestFinished,
): Promise<HostedTerminal> {
  const args = [join(root, "bin/cox"), "terminal", ...(start.flags ?? ["--port", "0"]), "--", ...start.command];
  const child = spawn(process.execPath, args, { cwd: start.cwd, env: start.env, stdio: ["ignore", "pipe", "pipe"] });
  const host = new HostedTerminal(child);
  done(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGTERM"), 3000); // the second one hurries
    await host.ended;
    clearTimeout(late);
  });
  let first = "";
  const line = new Promise<void>((resolve) => {
    child.stdout?.on("data", (chunk) => {
      first += String(chunk);
      if (first.includes("\n")) resolve();
    });
  });
  await Promise.race([
    line,
    host.ended.then(({ stderr }) => Promise.reject(new Error(`cox terminal ended: ${stderr}`))),
  ]);
  const { listening, session_id, token_file } = JSON.parse(first);
  host.urls = listening;
  host.sessionId = session_id;
  host.token = readFileSync(token_file, "utf8");
  host.folder = token_file.replace(/\/token$/, "");
  return host;
}

export interface AskOptions {
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** As it is, instead of JSON. */
  raw?: string;
}

export function ask(base: string, method: string, path: string, options: AskOptions = {}): Promise<Reply> {
  const { token, body, raw } = options;
  const where = base.startsWith("unix:")
    ? { socketPath: base.slice("unix:".length) }
    : { hostname: new URL(base).hostname, port: new URL(base).port };
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers = {
    ...(sent === undefined ? {} : { "content-type": "application/json" }),
    ...(token === undefined || token === "" ? {} : { authorization: `Bearer ${token}` }),
    ...options.headers,
  };
  return new Promise((resolve, reject) => {
    const asked = request({ ...where, path, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text, json: parse(text) }));
    });
    asked.on("error", reject);
    asked.end(sent);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A client of the WebSocket that remembers everything. */
export class SocketClient {
  readonly ws: WebSocket;
  readonly seen: Json[] = [];
  readonly closed: Promise<number>;
  readonly #waiting = new Set<() => void>();
  #ids = 0;

  constructor(address: string) {
    this.ws = new WebSocket(address);
    this.ws.on("error", () => {});
    this.closed = new Promise((resolve) => this.ws.on("close", resolve));
    this.ws.on("message", (data) => {
      this.seen.push(JSON.parse(socketText(data)));
      for (const look of this.#waiting) look();
    });
    onTestFinished(() => this.ws.terminate());
  }

  async open(): Promise<this> {
    if (this.ws.readyState !== WebSocket.OPEN) await once(this.ws, "open");
    return this;
  }

  /** The HTTP status with which the upgrade was refused. */
  refused(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.ws.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
      this.ws.on("open", () => reject(new Error("it was let in")));
    });
  }

  send(message: object | string): void {
    this.ws.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  until(test: (message: Json) => boolean): Promise<Json> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.seen.find(test);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Sends with a request id and waits for the answer that carries it. */
  call(message: object): Promise<Json> {
    this.#ids += 1;
    const request_id = `r${this.#ids}`;
    this.send({ ...message, request_id });
    return this.until((answer) => answer.request_id === request_id);
  }

  /** The bytes of the terminal so far, put together by their offsets. */
  bytes(): Buffer {
    const parts = this.seen.filter(({ event }) => event === "pty" || event === "replay");
    return Buffer.concat(parts.map(({ data }) => Buffer.from(data, "base64")));
  }
}
