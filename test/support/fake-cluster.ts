import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { KubeObject } from "../../src/cluster/kube/resource.ts";
import { API_VERSION, GROUP } from "../../src/contract/resources/names.ts";
import type { Task, TaskSpec, TaskStatus } from "../../src/contract/resources/task.ts";

/**
 * As much of an API server as a person's commands need: objects by path, watches, pod logs. It checks nothing: what a real one
 * would refuse is the cluster suite's to show.
 */
export class FakeCluster {
  readonly folder = mkdtempSync(join(tmpdir(), "cox-cluster-"));
  readonly kubeconfig = join(this.folder, "kubeconfig");
  readonly objects = new Map<string, KubeObject>();
  readonly requests: { method: string; path: string; body: unknown; token: string | undefined }[] = [];
  readonly #watchers = new Set<Watcher>();
  readonly #history: Told[] = [];
  readonly #logs = new Map<string, { text: string; ended: boolean; readers: Set<ServerResponse> }>();
  #version = 100;
  isInstalled = true;
  /** Answers with this instead, once. */
  refusal: { status: number; reason: string; message: string } | undefined;

  static async start(): Promise<FakeCluster> {
    const cluster = new FakeCluster();
    const server = createServer((request, response) => void cluster.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const config = {
      "current-context": "test",
      clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
      contexts: [{ name: "test", context: { cluster: "c", user: "u", namespace: "team" } }],
      users: [{ name: "u", user: { token: "sesame" } }],
    };
    writeFileSync(cluster.kubeconfig, JSON.stringify(config));
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(cluster.folder, { recursive: true, force: true });
    });
    return cluster;
  }

  task(name: string): Task | undefined {
    return this.objects.get(taskPath(name)) as Task | undefined;
  }

  addTask(name: string, spec: Partial<TaskSpec> = {}, status?: TaskStatus): void {
    const full = { type: "claude-code", prompt: "do it", credentials: { type: "none" as const }, ...spec };
    const metadata = { name, namespace: "team", creationTimestamp: "2026-01-01T00:00:00Z" };
    this.put(taskPath(name), { apiVersion: API_VERSION, kind: "Task", metadata, ...{ spec: full, status } });
  }

  setStatus(name: string, status: TaskStatus): void {
    const task = this.task(name);
    if (task !== undefined) this.put(taskPath(name), { ...task, ...{ status: { ...task.status, ...status } } });
  }

  put(path: string, object: KubeObject): KubeObject {
    this.#version += 1;
    const isNew = !this.objects.has(path);
    const stored = {
      ...object,
      metadata: { ...object.metadata, uid: `uid-${path}`, resourceVersion: String(this.#version) },
    };
    this.objects.set(path, stored);
    this.#tell(path, isNew ? "ADDED" : "MODIFIED", stored);
    return stored;
  }

  remove(path: string): boolean {
    const object = this.objects.get(path);
    if (object === undefined) return false;
    this.objects.delete(path);
    this.#version += 1;
    this.#tell(path, "DELETED", object);
    return true;
  }

  /** What a container said, line by line, each with its time. */
  say(pod: string, ...lines: string[]): void {
    const log = this.#log(pod);
    for (const line of lines) {
      this.#version += 1;
      const text = `2026-01-01T00:00:${String(this.#version % 60).padStart(2, "0")}.${this.#version}Z ${line}\n`;
      log.text += text;
      for (const reader of log.readers) reader.write(text);
    }
  }

  endLog(pod: string): void {
    const log = this.#log(pod);
    log.ended = true;
    for (const reader of log.readers) reader.end();
  }

  #log(pod: string) {
    const log = this.#logs.get(pod) ?? { text: "", ended: false, readers: new Set<ServerResponse>() };
    this.#logs.set(pod, log);
    return log;
  }

  #tell(path: string, type: string, object: KubeObject): void {
    const told = { path, type, object, version: this.#version };
    this.#history.push(told);
    for (const watcher of this.#watchers) this.#send(watcher, told);
  }

  #send({ path: watched, name, response }: Watcher, { path, type, object }: Told): void {
    if (!path.startsWith(`${watched}/`) || (name !== undefined && object.metadata.name !== name)) return;
    response.write(`${JSON.stringify({ type, object })}\n`);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const body = text === "" ? undefined : JSON.parse(text);
    const { pathname: path, searchParams: query } = new URL(request.url ?? "", "http://x");
    const method = request.method ?? "GET";
    this.requests.push({ method, path, body, token: request.headers.authorization });
    const send = (status: number, value: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    const { refusal } = this;
    if (refusal !== undefined) {
      this.refusal = undefined;
      return void send(refusal.status, { kind: "Status", ...refusal });
    }
    if (path === "/apis") return void send(200, { groups: this.isInstalled ? [{ name: GROUP }] : [] });
    if (path.endsWith("/log")) return this.#serveLog(path, query, response, send);
    if (query.get("watch") === "true") {
      const name = query.get("fieldSelector")?.replace("metadata.name=", "");
      const watcher = { path, name, response };
      response.writeHead(200).flushHeaders();
      this.#watchers.add(watcher);
      // As a real one does it: what happened since that version comes first.
      const since = Number(query.get("resourceVersion") ?? 0);
      for (const told of this.#history) if (told.version > since) this.#send(watcher, told);
      response.on("close", () => this.#watchers.delete(watcher));
      return;
    }
    this.#serveObject(method, path, body, send);
  }

  #serveLog(
    path: string,
    query: URLSearchParams,
    response: ServerResponse,
    send: (status: number, value: unknown) => void,
  ): void {
    const pod = path.split("/").at(-2) ?? "";
    const log = this.#logs.get(pod);
    if (log === undefined) {
      const waiting = pod.includes("starting");
      return send(waiting ? 400 : 404, {
        kind: "Status",
        reason: waiting ? "BadRequest" : "NotFound",
        message: "no log",
      });
    }
    response.writeHead(200).write(log.text);
    if (log.ended || query.get("follow") !== "true") return void response.end();
    log.readers.add(response);
    response.on("close", () => log.readers.delete(response));
  }

  #serveObject(
    method: string,
    path: string,
    body: KubeObject | undefined,
    send: (status: number, value: unknown) => void,
  ): void {
    const missing = () => send(404, { kind: "Status", reason: "NotFound", message: `${path} not found` });
    const known = this.objects.get(path);
    if (method === "POST" && body !== undefined) {
      const target = `${path}/${body.metadata.name}`;
      if (!this.isInstalled && path.includes(GROUP)) return missing();
      if (this.objects.has(target))
        return send(409, { kind: "Status", reason: "AlreadyExists", message: `${target} already exists` });
      return send(201, this.put(target, body));
    }
    if (method === "PATCH") {
      if (known === undefined && body?.kind === undefined) return missing();
      return send(200, this.put(path, merged(known, body) as KubeObject));
    }
    if (method === "DELETE") return this.remove(path) ? send(200, { kind: "Status" }) : missing();
    if (known !== undefined) return send(200, known);
    if (/\/(tasks|workspaces|agentconfigs|events|secrets)$/.test(path) && this.isInstalled) {
      // `/apis/GROUP/VERSION/tasks` is those of all namespaces.
      const pattern = new RegExp(`^${path.replace(/\/([^/]+)$/, "(/namespaces/[^/]+)?/$1/[^/]+$")}`);
      const items = [...this.objects]
        .filter(([key]) => pattern.test(key))
        .map(([, object]) => ({ ...object, kind: undefined, apiVersion: undefined })); // items of a list don't say
      return send(200, { metadata: { resourceVersion: String(this.#version) }, items });
    }
    missing();
  }
}

interface Watcher {
  path: string;
  name: string | undefined;
  response: ServerResponse;
}

interface Told {
  path: string;
  type: string;
  object: KubeObject;
  version: number;
}

const taskPath = (name: string) => `/apis/${API_VERSION}/namespaces/team/tasks/${name}`;

function merged(before: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const base = isRecord(before) ? before : {};
  const pairs = Object.entries(patch).map(([key, value]): [string, unknown] => [key, merged(base[key], value)]);
  return { ...base, ...Object.fromEntries(pairs) };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
