import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../../src/cluster/kube/client.ts";
import { hasStatus } from "../../src/cluster/kube/error.ts";
import { jobs, type Resource, secrets, tasks } from "../../src/cluster/kube/resource.ts";
import { ClusterScene, noCluster } from "./scene.ts";

const bindings: Resource = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  clusterScoped: true,
};

describe.skipIf(noCluster)("an operator of several namespaces, with nothing but its Roles", () => {
  let home: ClusterScene;
  let team: ClusterScene;
  let stranger: ClusterScene;
  let account: KubeClient;
  beforeAll(async () => {
    [home, team, stranger] = await Promise.all([ClusterScene.open(), ClusterScene.open(), ClusterScene.open()]);
    account = await home.account([team.namespace]);
    // It is told of the stranger's namespace too, but has no Role there.
    const namespaces = [home, stranger, team].map(({ namespace }) => namespace);
    await home.operate({ namespaces, fence: { egress: [] } }, "one", account);
  });
  afterAll(async () => {
    await home?.close();
    await Promise.all([team?.close(), stranger?.close()]);
    account?.close();
  });

  test("Tasks run in each of them, and one without a Role holds up no other", async () => {
    await stranger.task("kept-out", "true");
    for (const scene of [home, team]) {
      await scene.task("welcome", "true");
      await scene.when("welcome", (task) => task.status?.attempts === 1);
    }
    expect((await stranger.get("kept-out")).status).toBeUndefined();
    expect((await stranger.client.list(jobs, stranger.namespace)).items).toEqual([]);
  });

  test("has no right in any other namespace, nor in the cluster", async () => {
    const forbidden = (attempt: Promise<unknown>) =>
      expect(attempt).rejects.toSatisfy((error: unknown) => hasStatus(error, 403));
    await forbidden(account.get(secrets, stranger.namespace, "any"));
    await forbidden(account.get(secrets, "kube-system", "any"));
    await forbidden(account.list(tasks, undefined));
    const job = { apiVersion: "batch/v1", kind: "Job" as const, metadata: { name: "x", namespace: "kube-system" } };
    await forbidden(account.create(jobs, { ...job, spec: { template: { spec: { containers: [] } } } }));
    const { items } = await home.client.list(bindings, undefined);
    expect(JSON.stringify(items)).not.toContain("coxswain-operator");
  });
});
