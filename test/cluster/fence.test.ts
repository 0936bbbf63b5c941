import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../../src/cluster/kube/client.ts";
import { hasStatus, isNotFound } from "../../src/cluster/kube/error.ts";
import type { NetworkPolicy } from "../../src/cluster/kube/objects.ts";
import { jobs, type KubeObject, networkPolicies, type Resource } from "../../src/cluster/kube/resource.ts";
import { ClusterScene, noCluster } from "./scene.ts";

type Role = KubeObject & { rules: { resources: string[] }[] };
const roles: Resource<Role> = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", plural: "roles" };

const NAME = "coxswain-agents";
const spec = {
  podSelector: { matchExpressions: [{ key: "coxswain.dev/task", operator: "Exists" }] },
  policyTypes: ["Ingress", "Egress"],
  egress: [
    {
      to: [
        {
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
          podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
        },
      ],
      ports: [
        { protocol: "UDP", port: 53 },
        { protocol: "TCP", port: 53 },
      ],
    },
    { to: [{ ipBlock: { cidr: "10.0.0.0/8" } }] },
  ],
};

describe.skipIf(noCluster)("the fence around agents", () => {
  let scene: ClusterScene;
  let account: KubeClient;
  beforeAll(async () => {
    scene = await ClusterScene.open();
    account = await scene.account();
    await scene.operate({ fence: { egress: ["10.0.0.0/8"] } }, "one", account);
    await scene.task("fenced", "sleep 1000");
    await scene.when("fenced", (task) => task.status?.attempts === 1);
  });
  afterAll(async () => {
    await scene?.close();
    account?.close();
  });

  const policy = () => scene.client.get(networkPolicies, scene.namespace, NAME);
  const isWhole = async () => {
    try {
      return isDeepStrictEqual((await policy()).spec, spec);
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };

  test("stands before the first Job, with name service at the cluster's resolver alone", async () => {
    expect((await policy()).spec).toEqual(spec);
  });

  test("is put back when it is deleted, though no Task asks for it", async () => {
    await scene.client.delete(networkPolicies, scene.namespace, NAME);
    await scene.until("the fence to be back", isWhole);
  });

  test.each<[string, Partial<NetworkPolicy["spec"]>]>([
    ["opened to the world", { egress: [{}] }],
    ["opened to visitors", { ingress: [{}] }],
    ["narrowed to pods that aren't there", { podSelector: { matchLabels: { no: "pod" } } }],
    ["made one of visitors alone", { policyTypes: ["Ingress"] }],
  ])("is put back when it is %s", async (_, change) => {
    const before = await policy();
    // As somebody who owns the fields then, whatever the operator applied.
    await scene.client.replace(networkPolicies, { ...before, spec: { ...before.spec, ...change } });
    await scene.until("the fence to be whole", isWhole);
  });

  test("without it no agent starts, and the Task says why; when it can be had again, all goes on", async () => {
    const rightsOf = () => scene.client.get(roles, scene.namespace, "coxswain-operator");
    const whole = await rightsOf();
    const rules = whole.rules.filter(({ resources }) => !resources.includes("networkpolicies"));
    await scene.client.patch(roles, scene.namespace, "coxswain-operator", { rules });
    await scene.until("the right to be gone", () =>
      account.get(networkPolicies, scene.namespace, NAME).then(
        () => false,
        (error: unknown) => hasStatus(error, 403),
      ),
    );
    await scene.client.delete(networkPolicies, scene.namespace, NAME);
    await scene.task("unfenced", "true");
    const held = await scene.when("unfenced", (task) => task.status?.reason === "NetworkNotFenced");
    expect(held.status).toMatchObject({
      phase: "Pending",
      message: expect.stringContaining("can't be fenced in, so none is started"),
      conditions: [{ type: "JobRejected", status: "True", reason: "NetworkNotFenced" }],
    });
    await expect(scene.client.get(jobs, scene.namespace, "unfenced")).rejects.toSatisfy(isNotFound);
    await scene.client.patch(roles, scene.namespace, "coxswain-operator", { rules: whole.rules });
    await scene.when("unfenced", (task) => task.status?.attempts === 1, 120_000);
    expect(await isWhole()).toBe(true);
  });
});
