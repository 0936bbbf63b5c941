import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../src/cluster/kube/resource.ts";
import { root, scene } from "../support/cox.ts";
import { FakeCluster } from "../support/fake-cluster.ts";

const read = (yaml: string) =>
  parseAllDocuments(yaml).map((document) => document.toJS() as KubeObject & Record<string, never>);

/** The same as `cox k8s install`, for people who apply YAML. `UPDATE_DEPLOY=1` writes them anew. */
describe("deploy/", () => {
  test("install.yaml is what this version installs", async () => {
    const { stdout, code, stderr } = await scene().cox(["k8s", "install", "--dry-run"]);
    expect(code, stderr).toBe(0);
    const header = "# Generated: cox k8s install --dry-run\n";
    const file = join(root, "deploy/install.yaml");
    if (process.env.UPDATE_DEPLOY === "1") writeFileSync(file, header + stdout);
    expect(readFileSync(file, "utf8"), "run: UPDATE_DEPLOY=1 npx vitest run test/e2e/k8s-install.test.ts").toBe(
      header + stdout,
    );
    const kinds = read(stdout).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "CustomResourceDefinition")).toHaveLength(3);
    expect(kinds).toContain("Deployment");
    // The operator has no right that isn't in a namespace.
    expect(kinds).not.toContain("ClusterRoleBinding");
  });
});

async function desk() {
  const cluster = await FakeCluster.start();
  const it = scene();
  const cox = (...args: string[]) => it.cox(["k8s", ...args], { env: { KUBECONFIG: cluster.kubeconfig } });
  const names = () => [...cluster.objects.keys()].sort();
  return { cluster, cox, names };
}

const deployment = (namespace: string) => `/apis/apps/v1/namespaces/${namespace}/deployments/coxswain-operator`;

describe("cox k8s install", () => {
  test("applies everything, and twice is the same", async () => {
    const { cox, names, cluster } = await desk();
    const { code, stdout, stderr } = await cox("install", "--no-wait");
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain("CustomResourceDefinition tasks.coxswain.dev applied\n");
    expect(stdout).toContain("installed; Tasks in namespace coxswain will run: cox k8s run -n coxswain …\n");
    const once = names();
    expect(once).toContain(deployment("coxswain"));
    expect(cluster.requests.filter(({ method }) => method !== "GET").every(({ method }) => method === "PATCH")).toBe(
      true,
    );
    await cox("install", "--no-wait");
    expect(names()).toEqual(once);
  });

  test("a namespace that is there already is left as it is", async () => {
    const { cox, cluster } = await desk();
    cluster.put("/api/v1/namespaces/mine", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "mine", labels: { owner: "me" } },
    });
    await cox("install", "-n", "mine", "--no-wait");
    expect(cluster.objects.get("/api/v1/namespaces/mine")?.metadata.labels).toEqual({ owner: "me" });
  });

  test("--namespaced-only touches nothing of the cluster", async () => {
    const { cox, names } = await desk();
    await cox("install", "-n", "mine", "--namespaced-only", "--no-wait");
    expect(names().every((name) => name.includes("/namespaces/mine/"))).toBe(true);
  });

  test("without the rights it says whom to ask", async () => {
    const { cox, cluster } = await desk();
    cluster.refusal = { status: 403, reason: "Forbidden", message: "no" };
    expect(await cox("install", "--no-wait")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "CustomResourceDefinition tasks.coxswain.dev: this account may not apply it; ask an administrator",
      ),
    });
  });

  test.each([
    [["--egress", "10.0.0.0"], '--egress "10.0.0.0": use addresses as CIDR'],
    [["--egress", "10.0.0.0/33"], "use addresses as CIDR"],
    [["--dns", "anything"], '--dns "anything": use NAMESPACE/KEY=VALUE'],
    [["--allow-toleration", "*"], `--allow-toleration "*": use a taint's KEY`],
  ])("%j is refused before anything is applied", async (args, message) => {
    const { cox, cluster } = await desk();
    expect(await cox("install", "--no-wait", ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
    expect(cluster.requests).toEqual([]);
  });

  test("it waits until the operator is up, and says why it isn't", async () => {
    const { cox, cluster } = await desk();
    const down = await cox("install", "--timeout", "300ms");
    expect(down).toMatchObject({ code: 124, stderr: expect.stringContaining("installed, but not up after 0.3 s") });
    const known = cluster.objects.get(deployment("coxswain"));
    cluster.put(deployment("coxswain"), {
      ...(known as KubeObject),
      ...{ status: { updatedReplicas: 1, availableReplicas: 1 } },
    });
    expect(await cox("install", "--timeout", "5s")).toMatchObject({ code: 0 });
  });
});

describe("cox k8s upgrade", () => {
  const argsOf = (cluster: FakeCluster, namespace = "coxswain"): string[] => {
    const object = cluster.objects.get(deployment(namespace)) as unknown as {
      spec: { template: { spec: { containers: { args: string[]; image: string }[] } } };
    };
    const [container] = object.spec.template.spec.containers;
    return [container?.image ?? "", ...(container?.args ?? [])];
  };

  test("keeps what it was installed with, and changes what is said anew", async () => {
    const { cox, cluster } = await desk();
    await cox(
      "install",
      "--no-wait",
      "--registry",
      "registry.example/cox",
      "--allow-image",
      "registry.example/",
      "--egress",
      "10.0.0.0/8",
    );
    const before = argsOf(cluster);
    expect(before).toEqual(
      expect.arrayContaining([
        "registry.example/cox/base:0.1.0",
        "--allow-image=registry.example/",
        "--egress=10.0.0.0/8",
      ]),
    );
    expect(await cox("upgrade", "--no-wait")).toMatchObject({ code: 0 });
    expect(argsOf(cluster)).toEqual(before);
    await cox("upgrade", "--no-wait", "--egress", "192.168.0.0/16");
    expect(argsOf(cluster)).toEqual(
      expect.arrayContaining(["--allow-image=registry.example/", "--egress=192.168.0.0/16"]),
    );
    expect(argsOf(cluster)).not.toContain("--egress=10.0.0.0/8");
  });

  test("what the new choice has no use for goes", async () => {
    const { cox, names } = await desk();
    const roles = () => names().filter((name) => name.includes("/roles/"));
    const role = (namespace: string, name: string) =>
      `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/${name}`;
    const own = role("coxswain", "coxswain-operator");
    const of = (team: string) => role(team, "coxswain-operator.coxswain");
    const watch = (...teams: string[]) => teams.flatMap((team) => ["--watch", team]);
    expect(await cox("install", "--no-wait", ...watch("team-a", "team-b"))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Tasks in namespaces coxswain, team-a, team-b will run"),
    });
    expect(roles()).toEqual([own, of("team-a"), of("team-b")]);
    expect(await cox("upgrade", "--no-wait", ...watch("team-b"))).toMatchObject({ code: 0 });
    expect(roles()).toEqual([own, of("team-b")]);
    const dry = await cox("upgrade", "--dry-run"); // whom it looks after is remembered
    expect(dry.stdout).toContain("--namespace=team-b");
    expect(dry.stdout).not.toContain("--namespace=team-a");
    await cox("uninstall");
    expect(roles()).toEqual([]);
  });

  test("where there is nothing to upgrade, it says so", async () => {
    const { cox } = await desk();
    expect(await cox("upgrade")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is no operator; use `cox k8s install -n coxswain`"),
    });
  });
});

describe("cox k8s uninstall", () => {
  test("takes the operator and its rights; the kinds and Tasks stay", async () => {
    const { cox, names } = await desk();
    await cox("install", "--no-wait");
    const dry = await cox("uninstall", "--dry-run");
    expect(dry.stdout).toContain("Deployment coxswain/coxswain-operator\n");
    expect(names()).toContain(deployment("coxswain"));
    expect(await cox("uninstall")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Deployment coxswain/coxswain-operator deleted"),
    });
    expect(names().filter((name) => name.includes("coxswain-operator"))).toEqual([]);
    expect(names().filter((name) => name.includes("/customresourcedefinitions/"))).toHaveLength(3);
    expect(names().filter((name) => name.includes("admission"))).toEqual([]);
    expect(await cox("uninstall")).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no operator") });
  });

  test("--all asks first", async () => {
    const { cox, names, cluster } = await desk();
    await cox("install", "--no-wait");
    cluster.addTask("fix");
    expect(await cox("uninstall", "--all")).toMatchObject({ code: 2, stderr: expect.stringContaining("add --yes") });
    expect(await cox("uninstall", "--all", "-y")).toMatchObject({ code: 0 });
    expect(names().filter((name) => name.includes("/customresourcedefinitions/"))).toEqual([]);
    expect(names()).toContain("/api/v1/namespaces/coxswain");
  });
});
