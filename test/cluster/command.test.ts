import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { leases } from "../../src/cluster/kube/resource.ts";
import { GIT_IMAGE } from "./kube/test-images.ts";
import { ClusterScene, facts, noCluster } from "./scene.ts";

const root = join(import.meta.dirname, "../..");

describe.skipIf(noCluster)("cox operator", () => {
  let scene: ClusterScene;
  let child: ChildProcess;
  let log = "";
  beforeAll(async () => {
    scene = await ClusterScene.open();
    const args = [
      "operator",
      "-n",
      scene.namespace,
      "--kubeconfig",
      facts?.kubeconfig ?? "",
      "--init-image",
      GIT_IMAGE,
      "--listen",
      "127.0.0.1:0",
    ];
    child = spawn(process.execPath, [join(root, "bin/cox"), ...args], { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr?.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
    await scene.until("the operator to watch", async () => log.includes('"message":"watching"'));
  });
  afterAll(async () => {
    child?.kill("SIGKILL");
    await scene?.close();
  });

  const get = async (path: string) => {
    const url = /"status":"([^"]+)"/.exec(log)?.[1];
    const response = await fetch(`${url}${path}`);
    return { status: response.status, text: await response.text() };
  };

  test("looks after Tasks, and says how it is", async () => {
    await scene.task("one", "true");
    await scene.when("one", (task) => task.status?.attempts === 1);
    expect(await get("/healthz")).toEqual({ status: 200, text: "ok\n" });
    expect(await get("/readyz")).toEqual({ status: 200, text: "leading\n" });
    const { text } = await get("/metrics");
    for (const name of [
      "cox_operator_queue_depth",
      "cox_operator_queue_seconds_bucket",
      "cox_operator_reconcile_seconds_sum",
      "cox_operator_start_seconds_count 1",
      "cox_operator_leading 1",
      "cox_operator_tasks 1",
    ]) {
      expect(text).toContain(name);
    }
    // What Tasks are about is nobody's business here.
    expect(text).not.toContain("true");
  });

  test("gives its Lease up when it is asked to end, so that the next one need not wait", async () => {
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    const lease = await scene.client.get(leases, scene.namespace, "coxswain-operator");
    expect(lease.spec?.holderIdentity ?? "").toBe("");
  });
});
