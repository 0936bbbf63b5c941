import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findAccess } from "../../src/cluster/kube/access.ts";
import { KubeClient, type RequestOptions } from "../../src/cluster/kube/client.ts";
import type { Job } from "../../src/cluster/kube/objects.ts";
import { jobs, type Resource, tasks } from "../../src/cluster/kube/resource.ts";
import { Cache } from "../../src/cluster/operator/cache.ts";
import { createOperator } from "../../src/cluster/operator/operator.ts";
import { defaultOptions } from "../../src/cluster/operator/options.ts";
import { buildJob } from "../../src/cluster/operator/task/job/job.ts";
import { observe } from "../../src/cluster/operator/task/observe.ts";
import { planTask } from "../../src/cluster/operator/task/plan/plan.ts";
import { allCrds } from "../../src/contract/resources/crd.ts";
import { API_VERSION } from "../../src/contract/resources/names.ts";
import type { Task, TaskStatus } from "../../src/contract/resources/task.ts";
import { systemClock } from "../../src/lib/base/clock.ts";
import { createLog } from "../../src/lib/base/log.ts";
import { available } from "../../test/cluster/kube/binaries.ts";
import { ControlPlane } from "../../test/cluster/kube/control-plane.ts";
import type { Comparison } from "../measure/figure.ts";
import { atEnd, cox } from "../scenes/scene.ts";

const COUNT = 500;
const AT_ONCE = 16;

/** On a real API server without controllers: what a Task costs, of what the same writes cost by themselves. */
export async function operator(): Promise<Comparison[]> {
  const flat = flatCost();
  if (!available().controlPlane) {
    console.log("operator: NOT MEASURED on a cluster: no kube-apiserver and etcd here");
    return [flat];
  }
  const folder = mkdtempSync(join(tmpdir(), "coxk-bench-"));
  const plane = await ControlPlane.start(folder, { controllers: false });
  atEnd(() => {
    plane.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const access = await findAccess({ env: process.env, kubeconfig: plane.kubeconfig });
  const client = new KubeClient(access);
  for (const crd of allCrds()) await client.apply(crds, crd);
  while (
    await client.list(tasks, "default").then(
      () => false,
      () => true,
    )
  )
    await systemClock.sleep(50);
  return [flat, throughput(client), roundTrips(client), await memory(client, plane.kubeconfig)];
}

const crds: Resource = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  clusterScoped: true,
};
const namespaces: Resource = { apiVersion: "v1", kind: "Namespace", plural: "namespaces", clusterScoped: true };

let made = 0;
async function newNamespace(client: KubeClient): Promise<string> {
  made += 1;
  const name = `bench-${made}`;
  await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  return name;
}

function aTask(namespace: string, name: string, more: Partial<Task["spec"]> = {}): Task {
  const spec = {
    type: "own",
    image: "none",
    prompt: "x".repeat(2000),
    credentials: { type: "none" as const },
    ...more,
  };
  return { apiVersion: API_VERSION, kind: "Task", metadata: { name, namespace }, spec };
}

function aJob(task: Task): Job {
  const references = {
    workspace: undefined,
    workspaceSecret: undefined,
    config: { agentsMD: "", plugins: [], mcpServers: [] },
    secrets: new Map(),
    configValues: new Map(),
  };
  const files = { data: {}, bytes: 0, tooLarge: false, plugins: [], workspaceFiles: [] };
  const job = buildJob({
    task,
    attempt: 1,
    prompt: task.spec.prompt,
    references,
    mcp: undefined,
    files,
    options: { ...defaultOptions, initImage: "none" },
  });
  return { ...job, metadata: { ...job.metadata, ownerReferences: [] } };
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Tells when a number of Jobs has been made. */
class CountingClient extends KubeClient {
  #jobs = 0;
  #reached = () => {};
  #wanted = 0;
  #reported = () => {};

  /** Tells when the next status is written: then the operator has nothing left to do. */
  report(): Promise<void> {
    return new Promise((resolve) => {
      this.#reported = resolve;
    });
  }

  until(wanted: number): Promise<void> {
    this.#wanted = this.#jobs + wanted;
    return new Promise((resolve) => {
      this.#reached = resolve;
    });
  }

  override async open(method: string, path: string, options: RequestOptions = {}) {
    const response = await super.open(method, path, options);
    if (method === "POST" && path.endsWith("/jobs")) {
      this.#jobs += 1;
      if (this.#jobs === this.#wanted) this.#reached();
    }
    if (method === "PATCH") this.#reported();
    return response;
  }
}

function operate(client: KubeClient, namespace: string): () => Promise<void> {
  const stop = new AbortController();
  const running = createOperator({
    client,
    clock: systemClock,
    log: createLog({ sink: () => {}, level: "error", now: Date.now }),
    options: { ...defaultOptions, namespaces: [namespace], initImage: "none" },
    election: { namespace, name: "bench", identity: "bench" },
  }).run(stop.signal);
  return async () => {
    stop.abort();
    await running;
  };
}

function throughput(client: KubeClient): Comparison {
  const names = Array.from({ length: COUNT }, (_, n) => `t${n}`);
  return {
    name: `operator: ${COUNT} Tasks at once, of a loop that posts Jobs`,
    figure: "rate",
    must: 0.4,
    aim: 0.8,
    rounds: 3,
    async baseline() {
      const namespace = await newNamespace(client);
      const began = performance.now();
      await inParallel(names, (name) => client.create(jobs, aJob(aTask(namespace, name))));
      return performance.now() - began;
    },
    async subject() {
      const namespace = await newNamespace(client);
      await inParallel(names, (name) => client.create(tasks, aTask(namespace, name)));
      const own = new CountingClient(client.access);
      const all = own.until(COUNT);
      const began = performance.now();
      const stop = operate(own, namespace);
      await all;
      const took = performance.now() - began;
      await stop();
      own.close();
      return took;
    },
  };
}

function roundTrips(client: KubeClient): Comparison {
  const own = new CountingClient(client.access);
  let namespace = "";
  let n = 0;
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
  return {
    name: "operator: from creating a Task to its Job, in round trips",
    must: 4,
    aim: 2.2,
    rounds: 3,
    async baseline() {
      const there = await newNamespace(client);
      const times: number[] = [];
      for (let at = 0; at < 30; at += 1) {
        const began = performance.now();
        await client.create(jobs, aJob(aTask(there, `j${at}`)));
        times.push(performance.now() - began);
        await systemClock.sleep(20);
      }
      return median(times);
    },
    async subject() {
      if (namespace === "") {
        namespace = await newNamespace(client);
        const first = own.until(1);
        operate(own, namespace);
        await client.create(tasks, aTask(namespace, "first"));
        await first;
      }
      const times: number[] = [];
      for (let at = 0; at < 30; at += 1) {
        n += 1;
        const [job, report] = [own.until(1), own.report()];
        const began = performance.now();
        await Promise.all([client.create(tasks, aTask(namespace, `r${n}`)), job]);
        times.push(performance.now() - began);
        await report;
        await systemClock.sleep(20);
      }
      return median(times);
    },
  };
}

/** Without a cluster: what one look costs when the cache is a hundred times larger. */
function flatCost(): Comparison {
  const fill = (size: number) => {
    const cache = new Cache();
    for (let n = 0; n < size; n += 1) {
      const task = aTask("ns", `t${n}`, {
        ...(n % 10 === 9 ? { dependsOn: [`t${n - 1}`] } : {}),
        branch: `b${n}`,
        workspaceRef: { name: "ws" },
      });
      cache.tasks.put({ ...task, metadata: { ...task.metadata, uid: `u${n}`, resourceVersion: String(n + 1) } });
    }
    return cache;
  };
  const caches = { small: fill(100), large: fill(10_000) };
  const cost = (cache: Cache) => {
    const keys = [...cache.tasks.keys()].slice(0, 100);
    const began = process.cpuUsage();
    for (let round = 0; round < 50; round += 1) {
      for (const key of keys) {
        const task = cache.tasks.get(key);
        if (task !== undefined)
          planTask(observe(cache, key, task), { now: 0, startTimeoutMs: 1, retryBackoff: defaultOptions.retryBackoff });
      }
    }
    const { user, system } = process.cpuUsage(began);
    return user + system;
  };
  return {
    name: "operator: CPU of a look with 10,000 Tasks, of one with 100",
    must: 1.3,
    aim: 1.1,
    baseline: () => cost(caches.small),
    subject: () => cost(caches.large),
  };
}

/** What 10,000 finished Tasks cost in memory, of their size as a list. */
async function memory(client: KubeClient, kubeconfig: string): Promise<Comparison> {
  const empty = await newNamespace(client);
  const full = await newNamespace(client);
  const names = Array.from({ length: 10_000 }, (_, n) => `t${n}`);
  let prepared: Promise<number> | undefined;
  const prepare = async () => {
    const status: TaskStatus = {
      phase: "Succeeded",
      reason: "Completed",
      attempts: 1,
      completionTime: "2026-01-01T00:00:00Z",
      outputs: ["branch: main", `response: ${"A".repeat(1000)}`],
      results: { branch: "main", response: "A".repeat(1000) },
    };
    await inParallel(names, async (name) => {
      await client.create(tasks, aTask(full, name));
      await client.patch(tasks, full, name, { status }, "status");
    });
    return JSON.stringify(await client.list(tasks, full)).length;
  };
  const rss = async (namespace: string, wanted: number) => {
    const child = spawn(
      process.execPath,
      [cox, "operator", "-n", namespace, "--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0"],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    await watching(child, wanted);
    await systemClock.sleep(3000);
    const bytes = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) * 1024;
    child.kill("SIGKILL");
    return bytes;
  };
  return {
    name: "operator: memory of 10,000 Tasks, of their bytes as a list",
    must: 3,
    aim: 1.5,
    rounds: 1,
    baseline: () => (prepared ??= prepare()),
    async subject() {
      await (prepared ??= prepare());
      const [without, with10k] = [await rss(empty, 0), await rss(full, names.length)];
      console.log(
        `operator: ${mib(without)} without Tasks, ${mib(with10k)} with 10,000, whose list is ${mib(await prepared)}`,
      );
      return with10k - without;
    },
  };
}

const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;

function watching(child: ChildProcess, wanted: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(`"tasks":${wanted}`)) resolve();
    });
    child.once("exit", () => reject(new Error(`the operator ended:\n${text}`)));
  });
}
