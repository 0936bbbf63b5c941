import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jobs, pods } from "../../src/cluster/kube/resource.ts";
import { isFinalPhase } from "../../src/contract/resources/task.ts";
import { available } from "./kube/binaries.ts";
import { ControlPlane } from "./kube/control-plane.ts";
import { ClusterScene } from "./scene.ts";

/** A control plane of its own, to be broken. There is no kubelet: the test says how pods ended. */
describe.skipIf(!available().controlPlane)("an API server that is killed and comes back", () => {
  const folder = mkdtempSync(join(tmpdir(), "coxk-"));
  let plane: ControlPlane;
  let scene: ClusterScene;
  beforeAll(async () => {
    plane = await ControlPlane.start(folder);
    scene = await ClusterScene.open(plane.kubeconfig);
  });
  afterAll(async () => {
    await scene?.close();
    await plane?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const names = Array.from({ length: 30 }, (_, n) => `t${n}`);

  async function restart(): Promise<void> {
    await plane.killApiServer();
    await plane.startApiServer();
  }

  /** As a kubelet would say it. */
  async function endPods(): Promise<void> {
    const { items } = await scene.client.list(pods, scene.namespace);
    const message = JSON.stringify({ coxswain: 1, outputs: ["branch: b"], sha256: "0" });
    for (const { metadata, status } of items) {
      if (status?.phase !== "Pending") continue;
      const state = {
        terminated: {
          exitCode: 0,
          reason: "Completed",
          message,
          startedAt: metadata.creationTimestamp,
          finishedAt: metadata.creationTimestamp,
        },
      };
      const containerStatuses = [{ name: "shell", image: "", imageID: "", ready: false, restartCount: 0, state }];
      await scene.client.patch(
        pods,
        scene.namespace,
        metadata.name,
        { status: { phase: "Succeeded", containerStatuses } },
        "status",
      );
    }
  }

  test("while Jobs are made and while they end: one Job for each Task, and each ends as it should", async () => {
    await scene.operate();
    for (const name of names.slice(0, 15)) await scene.task(name, "true");
    await restart();
    for (const name of names.slice(15)) await scene.task(name, "true");
    await scene.until(
      "a Job for each",
      async () => (await scene.client.list(jobs, scene.namespace)).items.length >= names.length,
    );
    const killed = restart();
    await killed;
    await scene.until("all to end", async () => {
      await endPods();
      const all = await Promise.all(names.map((name) => scene.get(name)));
      return all.every(({ status }) => isFinalPhase(status?.phase));
    });
    const { items } = await scene.client.list(jobs, scene.namespace);
    expect(items).toHaveLength(names.length);
    for (const name of names) {
      expect((await scene.get(name)).status).toMatchObject({
        phase: "Succeeded",
        attempts: 1,
        results: { branch: "b" },
      });
    }
  });
});
