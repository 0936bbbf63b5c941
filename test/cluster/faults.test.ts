import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findAccess } from "../../src/cluster/kube/access.ts";
import { KubeClient } from "../../src/cluster/kube/client.ts";
import type { Job } from "../../src/cluster/kube/objects.ts";
import { jobs, pods, tasks, workspaces } from "../../src/cluster/kube/resource.ts";
import { isFinalPhase, type Task } from "../../src/contract/resources/task.ts";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.ts";
import { ClusterScene, facts, noNode } from "./scene.ts";

const root = join(import.meta.dirname, "../..");

/** What must hold whatever happened: no Job too many, none of them at the same time, and the right end. */
async function check(scene: ClusterScene, task: Task): Promise<void> {
  const { items } = await scene.client.list(jobs, scene.namespace, {
    labelSelector: `coxswain.dev/task=${task.metadata.name}`,
  });
  const own = items.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === task.metadata.uid));
  expect(own.length, `Jobs of ${task.metadata.name}`).toBeLessThanOrEqual(task.spec.retry?.attempts ?? 1);
  expect(task.status?.attempts).toBe(own.length);
  const times = own.map(spanOf).sort((a, b) => a.from - b.from);
  for (const [at, span] of times.entries())
    if (at > 0) expect(span.from).toBeGreaterThanOrEqual(times[at - 1]?.to ?? 0);
}

function spanOf(job: Job): { from: number; to: number } {
  const ended = job.status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
  return {
    from: Date.parse(job.metadata.creationTimestamp ?? ""),
    to: Date.parse(ended?.lastTransitionTime ?? "9999-01-01T00:00:00Z"),
  };
}

describe.skipIf(noNode)("an operator killed between any two writes", () => {
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL");
  });

  /** Whether it was killed; if it wasn't, every write it makes has been tried. */
  async function round(when: "before" | "after", at: number): Promise<boolean> {
    const scene = await ClusterScene.open();
    const own: ChildProcess[] = [];
    const start = (n: number) => {
      const script = join(import.meta.dirname, "killed-operator.ts");
      const args = ["--import", "tsx", script, facts?.kubeconfig ?? "", scene.namespace, when, String(n)];
      const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
      own.push(child);
      children.push(child);
      return child;
    };
    try {
      await scene.make(workspaces, "ws", { spec: { repo: "http://127.0.0.1:1/none.git", depth: 1 } });
      // Every kind of write there is: a ConfigMap, a branch, two Jobs, and all the statuses on the way.
      await scene.task("all", `${"#".repeat(100_000)}\ntrue`, {
        ...{ workspaceRef: { name: "ws" }, branch: "b" },
        retry: { attempts: 2, on: ["NotStarted"], appendFailure: true },
      });
      const mortal = start(at);
      const died = new Promise<boolean>((resolve) => mortal.once("exit", (_, signal) => resolve(signal === "SIGKILL")));
      // Killed by its last write, it may be seen to have ended a moment before it is seen to be dead.
      const ended = scene.when("all").then(() => Promise.race([died, sleep(2000).then(() => false)]));
      const killed = await Promise.race([died, ended]);
      if (killed) start(1_000_000);
      const task = await scene.when("all");
      expect(task.status).toMatchObject({
        phase: "Failed",
        reason: "WorkspaceFailed",
        attempts: 2,
        jobName: "all-try-2",
      });
      await check(scene, task);
      return killed;
    } finally {
      for (const child of own) child.kill("SIGKILL");
      await scene.close();
    }
  }

  test.each([
    ["before", 7],
    ["after", 7],
  ] as const)(
    "%s the write: one Job at a time, never more than asked for, the right end",
    { timeout: 600_000 },
    async (when, writes) => {
      let tried = 0;
      for (let more = true; more; ) {
        const rounds = await Promise.all([1, 2, 3].map((n) => round(when, tried + n)));
        tried += rounds.filter((killed) => killed).length;
        more = rounds.every((killed) => killed);
      }
      expect(tried).toBeGreaterThanOrEqual(writes);
    },
  );
});

describe.skipIf(noNode)("two operators that both believe they lead", () => {
  test("make one Job between them for each attempt", async () => {
    const scene = await ClusterScene.open();
    try {
      const retry = { attempts: 2, on: ["Failed" as const], appendFailure: false };
      for (let n = 0; n < 12; n += 1) {
        await scene.task(`t${n}`, n % 3 === 0 ? "exit 1" : "true", {
          retry,
          ...(n % 4 === 3 ? { dependsOn: [`t${n - 1}`] } : {}),
        });
      }
      // Different leases: nothing keeps them apart but what they write.
      await scene.operate({}, "one");
      await scene.operate({}, "two", undefined, "another-lease");
      for (let n = 0; n < 12; n += 1) {
        const task = await scene.when(`t${n}`);
        const end =
          n === 7
            ? { phase: "Failed", reason: "DependencyFailed" } // t6 fails
            : n % 3 === 0
              ? { phase: "Failed", reason: "AgentFailed", attempts: 2 }
              : { phase: "Succeeded", attempts: 1 };
        expect(task.status, task.metadata.name).toMatchObject(end);
        if (task.status?.attempts !== undefined) await check(scene, task);
      }
    } finally {
      await scene.close();
    }
  });

  test("a leader that ends hands over at once; one that is cut off is replaced", async () => {
    const scene = await ClusterScene.open();
    try {
      const first = await scene.operate({}, "first");
      await scene.until("the first to lead", async () => first.operator.leading());
      const second = await scene.operate({}, "second");
      await scene.task("one", "true");
      await scene.when("one");
      expect(second.operator.leading()).toBe(false);
      const began = Date.now();
      await first.stop();
      await scene.until("the second to lead", async () => second.operator.leading());
      expect(Date.now() - began).toBeLessThan(2500);
      await scene.task("two", "true");
      expect((await scene.when("two")).status?.phase).toBe("Succeeded");
    } finally {
      await scene.close();
    }
  });
});

describe.skipIf(noNode)("what happens while nobody looks", () => {
  let scene: ClusterScene;
  beforeAll(async () => {
    scene = await ClusterScene.open();
  });
  afterAll(() => scene?.close());

  test("a pod that ended and went is a success with a condition", async () => {
    const { stop } = await scene.operate({}, "before");
    await scene.task("unseen", "sleep 2");
    const { status } = await scene.when("unseen", (task) => task.status?.phase === "Running");
    await stop();
    await scene.until("the Job to complete", async () => {
      const job = await scene.client.get(jobs, scene.namespace, "unseen");
      return job.status?.conditions?.some(({ type }) => type === "Complete") === true;
    });
    await scene.client.delete(pods, scene.namespace, status?.podName ?? "");
    await scene.until("the pod to go", async () => (await scene.client.list(pods, scene.namespace)).items.length === 0);
    await scene.operate({}, "after");
    expect((await scene.when("unseen")).status).toMatchObject({
      phase: "Succeeded",
      conditions: [{ type: "OutputsUnavailable", status: "True", message: expect.stringContaining("the pod is gone") }],
    });
  });

  test("a storm of other writers costs a few conflicts, and no more", async () => {
    const { operator } = await scene.operate({}, "stormy");
    await scene.task("storm", "sleep 2");
    const calm = new AbortController();
    const wind = async () => {
      for (let n = 0; !calm.signal.aborted; n += 1) {
        await scene.client.patch(tasks, scene.namespace, "storm", { metadata: { annotations: { wind: String(n) } } });
      }
      return true;
    };
    const storm = Promise.all([wind(), wind(), wind()]);
    const task = await scene.when("storm");
    calm.abort();
    await storm;
    expect(task.status).toMatchObject({ phase: "Succeeded", attempts: 1 });
    await check(scene, task);
    const conflicts = Number(/cox_operator_conflicts_total (\d+)/.exec(operator.metrics.registry.text())?.[1] ?? 0);
    expect(conflicts).toBeLessThan(100);
  });
});

describe.skipIf(noNode)("a watch that breaks in every way", () => {
  let scene: ClusterScene;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    scene = await ClusterScene.open();
    proxy = await startFaultyProxy(await findAccess({ env: process.env, kubeconfig: facts?.kubeconfig }));
  });
  afterAll(async () => {
    await scene?.close();
    await proxy?.close();
  });

  test("costs no Task its end and makes no Job twice", async () => {
    const client = new KubeClient({ server: proxy.url, namespace: scene.namespace, token: async () => undefined });
    const { stop } = await scene.operate({}, "proxied", client);
    const names = Array.from({ length: 15 }, (_, n) => `w${n}`);
    for (const name of names)
      await scene.task(name, "true", { retry: { attempts: 2, on: ["Failed"], appendFailure: false } });
    for (const name of names) {
      const task = await scene.when(name, (one) => isFinalPhase(one.status?.phase), 90_000);
      expect(task.status).toMatchObject({ phase: "Succeeded", attempts: 1 });
      await check(scene, task);
    }
    expect(
      Object.values(proxy.done).every((count) => count > 0),
      JSON.stringify(proxy.done),
    ).toBe(true);
    await stop();
    client.close();
  });
});
