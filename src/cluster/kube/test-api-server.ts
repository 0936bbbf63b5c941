import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { KubeObject } from "./resource.ts";

/** Answers in its own way; `from` is the version the watch was to begin at. */
export type Fault = (response: ServerResponse, from: number) => void;

/**
 * An API server that does what a test tells it, mostly badly: one list of objects with versions, and watches that answer by
 * script. It knows one kind and no rules; whatever needs those is tested on a real one.
 */
export class TestApiServer {
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #objects = new Map<string, KubeObject>();
  readonly #history: { version: number; line: string }[] = [];
  readonly #watches = new Set<ServerResponse>();
  #version = 100;
  url = "";
  /** How the next watches answer; when empty, as a good server would. */
  faults: Fault[] = [];
  /** How the next lists answer. */
  listFaults: Fault[] = [];
  readonly requests: string[] = [];

  static async start(): Promise<TestApiServer> {
    const server = new TestApiServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    const address = server.#server.address();
    server.url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    return server;
  }

  get state(): Record<string, string> {
    return Object.fromEntries([...this.#objects].map(([name, { metadata }]) => [name, metadata.resourceVersion ?? ""]));
  }

  put(name: string): void {
    this.#version += 1;
    const type = this.#objects.has(name) ? "MODIFIED" : "ADDED";
    const uid = this.#objects.get(name)?.metadata.uid ?? `uid-${this.#version}`;
    const metadata = { name, namespace: "ns", uid, resourceVersion: String(this.#version) };
    const object = { apiVersion: "v1", kind: "Thing", metadata };
    this.#objects.set(name, object);
    this.#tell(type, object);
  }

  remove(name: string): void {
    const object = this.#objects.get(name);
    if (object === undefined) return;
    this.#version += 1;
    this.#objects.delete(name);
    this.#tell("DELETED", { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } });
  }

  /** As a server that was restored from an old copy. */
  turnBack(by: number): void {
    this.#version -= by;
    this.#history.length = 0;
    for (const { metadata } of this.#objects.values()) {
      metadata.resourceVersion = String(Math.min(Number(metadata.resourceVersion), this.#version));
    }
  }

  line(type: string, object: object): string {
    return `${JSON.stringify({ type, object })}\n`;
  }

  bookmark(version: number): string {
    return this.line("BOOKMARK", { apiVersion: "v1", kind: "Thing", metadata: { resourceVersion: String(version) } });
  }

  /** What a watcher has heard of already, once more. */
  repeated(from: number): string {
    const old = [...this.#objects.values()].filter(({ metadata }) => Number(metadata.resourceVersion) <= from);
    return old.map((object) => this.line("ADDED", object)).join("");
  }

  /** Cuts every open watch. */
  cut(): void {
    for (const response of this.#watches) response.destroy();
    this.#watches.clear();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #tell(type: string, object: KubeObject): void {
    const line = this.line(type, object);
    this.#history.push({ version: Number(object.metadata.resourceVersion), line });
    for (const response of this.#watches) response.write(line);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "", "http://x");
    const isWatch = url.searchParams.get("watch") === "true";
    this.requests.push(isWatch ? "watch" : "list");
    const fault = isWatch ? this.faults.shift() : this.listFaults.shift();
    const from = Number(url.searchParams.get("resourceVersion"));
    if (fault !== undefined) return fault(response, from);
    if (!isWatch) {
      const metadata = { resourceVersion: String(this.#version) };
      response.end(JSON.stringify({ kind: "ThingList", metadata, items: [...this.#objects.values()] }));
      return;
    }
    response.writeHead(200);
    response.flushHeaders();
    for (const { version, line } of this.#history) if (version > from) response.write(line);
    this.#watches.add(response);
    response.on("close", () => this.#watches.delete(response));
  }
}

export const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response
      .writeHead(code, headers)
      .end(JSON.stringify({ kind: "Status", code, message: `status ${code}`, reason: "Test" }));
  };
