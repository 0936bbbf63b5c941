import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { findAccess } from "../../src/cluster/kube/access.ts";
import { KubeClient } from "../../src/cluster/kube/client.ts";
import { isNotFound, KubeError } from "../../src/cluster/kube/error.ts";
import type { Secret } from "../../src/cluster/kube/objects.ts";
import type { KubeObject, Resource } from "../../src/cluster/kube/resource.ts";
import { pathOf, pods, secrets, tasks } from "../../src/cluster/kube/resource.ts";
import { namespacedManifests } from "../../src/cluster/operator/manifests.ts";
import { createOperator, type Operator } from "../../src/cluster/operator/operator.ts";
import { defaultOptions, type OperatorOptions } from "../../src/cluster/operator/options.ts";
import { allCrds } from "../../src/contract/resources/crd.ts";
import { API_VERSION, LABELS } from "../../src/contract/resources/names.ts";
import { isFinalPhase, type Task, type TaskSpec } from "../../src/contract/resources/task.ts";
import { systemClock } from "../../src/lib/base/clock.ts";
import { createLog } from "../../src/lib/base/log.ts";
import { GIT_IMAGE, SHELL_AGENT } from "./kube/test-images.ts";

export const facts = inject("cluster");
/** For `describe.skipIf`: the loud word about it is said once, by the setup. */
export const noCluster = facts === undefined;
export const noNode = facts?.gateway === undefined;

export const namespaceKind: Resource = {
  apiVersion: "v1",
  kind: "Namespace",
  plural: "namespaces",
  clusterScoped: true,
};
const serviceAccounts: Resource = { apiVersion: "v1", kind: "ServiceAccount", plural: "serviceaccounts" };
const crdKind: Resource = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  clusterScoped: true,
};

/** A namespace of a test's own in the real cluster, and an operator for it in this process. */
export class ClusterScene {
  readonly client: KubeClient;
  readonly namespace = `t-${randomBytes(4).toString("hex")}`;
  readonly logLines: string[] = [];
  #stops: (() => Promise<void>)[] = [];

  private constructor(client: KubeClient) {
    this.client = client;
  }

  static async open(kubeconfig = facts?.kubeconfig): Promise<ClusterScene> {
    if (kubeconfig === undefined) throw new Error("there is no cluster");
    const client = new KubeClient(await findAccess({ env: process.env, kubeconfig }));
    const scene = new ClusterScene(client);
    for (const crd of allCrds()) await client.apply(crdKind, crd);
    await scene.until("the kinds to be served", async () => {
      try {
        await client.list(tasks, "default");
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    });
    await client.create(namespaceKind, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: scene.namespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    });
    return scene;
  }

  /** The operator's own account, with the rights an installation gives it and no others. */
  async account(watch: readonly string[] = []): Promise<KubeClient> {
    const options = { namespace: this.namespace, watch, image: "unused", egress: [] };
    for (const object of namespacedManifests(options)) {
      const resource = { apiVersion: object.apiVersion, kind: object.kind, plural: `${object.kind.toLowerCase()}s` };
      if (object.kind !== "Deployment") await this.client.apply(resource, object);
    }
    const path = pathOf(serviceAccounts, this.namespace, "coxswain-operator", "token");
    const asked = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 7200 } };
    const { status } = await this.client.request<{ status: { token: string } }>("POST", path, { body: asked });
    const { server, ca, insecure } = this.client.access;
    return new KubeClient({ server, ca, insecure, namespace: this.namespace, token: async () => status.token });
  }

  /** Runs until the scene is closed, or until the returned function is called. */
  async operate(
    options: Partial<OperatorOptions> = {},
    identity = "one",
    own?: KubeClient,
    lease = "coxswain-operator",
  ): Promise<{ operator: Operator; stop: () => Promise<void> }> {
    const client = own ?? (await this.account());
    const controller = new AbortController();
    const log = createLog({ sink: (line) => this.logLines.push(line), level: "debug", now: Date.now });
    const operator = createOperator({
      client,
      clock: systemClock,
      log,
      options: {
        ...defaultOptions,
        namespaces: [this.namespace],
        images: { "claude-code": SHELL_AGENT, codex: SHELL_AGENT, gemini: SHELL_AGENT, opencode: SHELL_AGENT },
        initImage: GIT_IMAGE,
        resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "256Mi" } },
        retryBackoff: { base: 200, factor: 2, cap: 1000 },
        ...options,
      },
      election: { namespace: this.namespace, name: lease, identity, leaseMs: 5000, renewMs: 500 },
    });
    const running = operator.run(controller.signal);
    const stop = async () => {
      controller.abort();
      await running;
      if (own === undefined) client.close();
    };
    this.#stops.push(stop);
    return { operator, stop };
  }

  /** The prompt is a shell script that runs in the pod. */
  async task(name: string, prompt: string, more: Partial<TaskSpec> = {}): Promise<Task> {
    const spec = { type: "shell", image: SHELL_AGENT, prompt, credentials: { type: "none" as const }, ...more };
    return this.#create(tasks, {
      apiVersion: API_VERSION,
      kind: "Task",
      metadata: { name, namespace: this.namespace },
      spec,
    });
  }

  get(name: string): Promise<Task> {
    return this.client.get(tasks, this.namespace, name);
  }

  async log(pod: string, container: string): Promise<string> {
    const stream = await this.client.open("GET", pathOf(pods, this.namespace, pod, "log"), { query: { container } });
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString("utf8");
  }

  /** One that its owner marked as usable by Tasks, or left as it is. */
  secret(name: string, values: Record<string, string>, isUsable = true): Promise<Secret> {
    const data = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
    const labels: Record<string, string> = isUsable ? { [LABELS.usable]: "true" } : {};
    const metadata = { name, namespace: this.namespace, labels };
    return this.#create(secrets, { apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(data) });
  }

  /** An object of this namespace. */
  make<T extends KubeObject>(
    resource: Resource<T>,
    name: string,
    rest: Omit<T, "apiVersion" | "kind" | "metadata">,
  ): Promise<T> {
    const object = {
      apiVersion: resource.apiVersion,
      kind: resource.kind,
      metadata: { name, namespace: this.namespace },
      ...rest,
    } as unknown as T;
    return this.#create(resource, object);
  }

  /** A test that is tried again finds what its first try left: that goes first. */
  async #create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> {
    try {
      return await this.client.create(resource, object);
    } catch (error) {
      if (!(error instanceof KubeError && error.reason === "AlreadyExists")) throw error;
      const { name } = object.metadata;
      await this.client.delete(resource, this.namespace, name);
      await this.until(`${resource.kind} ${name} of the try before is gone`, () =>
        this.client.get(resource, this.namespace, name).then(() => false, isNotFound),
      );
      return this.client.create(resource, object);
    }
  }

  /** The Task once it is as wished; by default once it has ended. */
  async when(
    name: string,
    what: (task: Task) => boolean = (task) => isFinalPhase(task.status?.phase),
    timeoutMs = 60_000,
  ): Promise<Task> {
    let last: Task | undefined;
    await this.until(
      `Task ${name}`,
      async () => {
        last = await this.get(name);
        return what(last);
      },
      timeoutMs,
      () => JSON.stringify(last?.status, null, 1),
    );
    return last as Task;
  }

  async until(
    what: string,
    ready: () => Promise<boolean>,
    timeoutMs = 60_000,
    state: () => string = () => "",
  ): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!(await ready())) {
      if (Date.now() > deadline) {
        throw new Error(`${what}: not within ${timeoutMs} ms\n${state()}\n${this.logLines.slice(-10).join("")}`);
      }
      await systemClock.sleep(50);
    }
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.client.delete(namespaceKind, undefined, this.namespace);
    this.client.close();
  }
}
