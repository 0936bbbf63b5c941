import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { messageOf } from "../../contract/errors.ts";
import { FIELD_MANAGER } from "../../contract/resources/names.ts";
import type { ClusterAccess } from "./access.ts";
import { answerError, KubeError } from "./error.ts";
import { type KubeObject, pathOf, type Resource } from "./resource.ts";

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  query?: Query;
  body?: unknown;
  contentType?: string;
  signal?: AbortSignal;
  /** How long the server may say nothing. */
  timeoutMs?: number;
}

export interface ListPage<T> {
  metadata: { resourceVersion: string; continue?: string };
  items: T[];
}

const REQUEST_MS = 30_000;

/**
 * A thin client of the API server on kept-alive connections. Objects go over as they are: a client that knows their types
 * drops the fields it doesn't know.
 */
export class KubeClient {
  readonly access: ClusterAccess;
  readonly #agent: HttpAgent | HttpsAgent;
  /** Requests made so far, by method: what a change costs is counted, not guessed. */
  readonly counts = new Map<string, number>();

  constructor(access: ClusterAccess) {
    this.access = access;
    const { ca, cert, key, insecure, serverName } = access;
    const kept = { keepAlive: true, keepAliveMsecs: 30_000, maxSockets: 128 };
    // Plain http is what `kubectl proxy` speaks.
    this.#agent = access.server.startsWith("http:")
      ? new HttpAgent(kept)
      : new HttpsAgent({ ...kept, ca, cert, key, servername: serverName, rejectUnauthorized: !insecure });
  }

  get<T extends KubeObject>(resource: Resource<T>, namespace: string | undefined, name: string): Promise<T> {
    return this.request("GET", pathOf(resource, namespace, name));
  }

  list<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string | undefined,
    query: Query = {},
    signal?: AbortSignal,
  ): Promise<ListPage<T>> {
    return this.request("GET", pathOf(resource, namespace), { query, signal, timeoutMs: 2 * REQUEST_MS });
  }

  create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> {
    return this.request("POST", pathOf(resource, object.metadata.namespace), { body: object });
  }

  replace<T extends KubeObject>(resource: Resource<T>, object: T, timeoutMs?: number): Promise<T> {
    const { namespace, name } = object.metadata;
    return this.request("PUT", pathOf(resource, namespace, name), { body: object, timeoutMs });
  }

  /** A merge patch; with `metadata.resourceVersion` in it, it is refused when somebody else was first. */
  patch<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string | undefined,
    name: string,
    patch: unknown,
    subresource?: "status",
  ): Promise<T> {
    const path = pathOf(resource, namespace, name, ...(subresource ? [subresource] : []));
    return this.request("PATCH", path, { body: patch, contentType: "application/merge-patch+json" });
  }

  /** Server-side apply: the fields of `object` are ours from now on. */
  apply<T extends KubeObject>(resource: Resource<T>, object: T, query: Query = {}): Promise<T> {
    const { namespace, name } = object.metadata;
    return this.request("PATCH", pathOf(resource, namespace, name), {
      body: object,
      contentType: "application/apply-patch+yaml",
      query: { fieldManager: FIELD_MANAGER, force: true, ...query },
    });
  }

  async delete(
    resource: Resource,
    namespace: string | undefined,
    name: string,
    options: { uid?: string; propagation?: "Background" | "Foreground" } = {},
  ): Promise<void> {
    const body = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy: options.propagation ?? "Background",
      ...(options.uid ? { preconditions: { uid: options.uid } } : {}),
    };
    await this.request("DELETE", pathOf(resource, namespace, name), { body });
  }

  async request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.open(method, path, { timeoutMs: REQUEST_MS, ...options });
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      return JSON.parse(Buffer.concat(chunks).toString("utf8")) as T;
    } catch (cause) {
      options.signal?.throwIfAborted();
      throw new KubeError(`${method} ${path}: ${messageOf(cause)}`, { status: 0, reason: "" }, { cause });
    }
  }

  /** The answer as a stream, for watches and logs. Whoever takes it must read or destroy it. */
  async open(method: string, path: string, options: RequestOptions = {}): Promise<IncomingMessage> {
    const { query = {}, body, contentType = "application/json", signal, timeoutMs } = options;
    const url = new URL(`${this.access.server}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const token = await this.access.token();
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers: Record<string, string | number> = { accept: "application/json", "user-agent": "coxswain" };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (payload !== undefined)
      Object.assign(headers, { "content-type": contentType, "content-length": payload.length });
    this.counts.set(method, (this.counts.get(method) ?? 0) + 1);
    const response = await this.#send({ method, url, headers, payload, signal, timeoutMs });
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    throw answerError(
      `${method} ${path}`,
      status,
      Buffer.concat(chunks).toString("utf8"),
      response.headers["retry-after"],
    );
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(request: Sent): Promise<IncomingMessage> {
    const { method, url, headers, payload, signal, timeoutMs } = request;
    return new Promise((resolve, reject) => {
      const begin = url.protocol === "http:" ? httpRequest : httpsRequest;
      const sent = begin(url, { method, headers, agent: this.#agent, signal, timeout: timeoutMs }, resolve);
      sent.on("timeout", () => sent.destroy(new Error(`nothing was heard for ${timeoutMs} ms`)));
      sent.on("error", (cause) => {
        // An idle connection may be closed by the server in the moment it is used again. Should the server have done it all
        // the same, a second time is refused: what is written has a name or a version.
        const stale = sent.reusedSocket && "code" in cause && cause.code === "ECONNRESET";
        if (signal?.aborted) reject(signal.reason);
        else if (stale) resolve(this.#send(request));
        else
          reject(new KubeError(`${method} ${url.pathname}: ${messageOf(cause)}`, { status: 0, reason: "" }, { cause }));
      });
      sent.end(payload);
    });
  }
}

interface Sent {
  method: string;
  url: URL;
  headers: Record<string, string | number>;
  payload: Buffer | undefined;
  signal: AbortSignal | undefined;
  timeoutMs: number | undefined;
}
