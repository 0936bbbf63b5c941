import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubeClient } from "../../src/cluster/kube/client.ts";
import { hasStatus, KubeError } from "../../src/cluster/kube/error.ts";
import { jobs, secrets, tasks, workspaces } from "../../src/cluster/kube/resource.ts";
import { clusterManifests } from "../../src/cluster/operator/manifests.ts";
import type { TaskSpec } from "../../src/contract/resources/task.ts";
import { ClusterScene, noCluster } from "./scene.ts";

/** The status and text of a refusal. */
async function refusal(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof KubeError) return `${error.status} ${error.message}`;
    throw error;
  }
  return "accepted";
}

describe.skipIf(noCluster)("hostile Tasks", () => {
  let scene: ClusterScene;
  beforeAll(async () => {
    scene = await ClusterScene.open();
  });
  afterAll(() => scene?.close());

  const overrides = (podOverrides: object) => ({ podOverrides }) as Partial<TaskSpec>;
  test.each<[string, Partial<TaskSpec>, string]>([
    ["privileged", overrides({ containerSecurityContext: { privileged: true } }), "privileged is not allowed"],
    [
      "escalation",
      overrides({ containerSecurityContext: { allowPrivilegeEscalation: true } }),
      "allowPrivilegeEscalation is not allowed",
    ],
    [
      "capabilities",
      overrides({ containerSecurityContext: { capabilities: { add: ["SYS_ADMIN"] } } }),
      "capabilities are not allowed",
    ],
    ["root", overrides({ podSecurityContext: { runAsUser: 0 } }), "may not run as root"],
    ["root-group", overrides({ podSecurityContext: { supplementalGroups: [5, 0] } }), "not be in root's group"],
    ["host-path", overrides({ volumes: [{ name: "x", hostPath: { path: "/" } }] }), "hostPath is not allowed"],
    ["host-network", overrides({ hostNetwork: true }), "hostNetwork is not allowed"],
    ["host-pid", overrides({ hostPID: true }), "hostPID is not allowed"],
    ["host-ipc", overrides({ hostIPC: true }), "hostIPC is not allowed"],
    ["our-volume", overrides({ volumes: [{ name: "kelos-github-token", emptyDir: {} }] }), "belong to the operator"],
    [
      "twin-volumes",
      overrides({
        volumes: [
          { name: "a", emptyDir: {} },
          { name: "a", emptyDir: {} },
        ],
      }),
      "Duplicate value",
    ],
    ["long-prompt", { prompt: "x".repeat(600_000) }, "Too long: may not be more than 524288"],
    ["no-prompt", { prompt: "" }, "should be at least 1 chars long"],
    [
      "many-attempts",
      { retry: { attempts: 1000, on: [], appendFailure: false } },
      "should be less than or equal to 10",
    ],
    ["no-image", { type: "own", image: undefined }, "spec.image is needed"],
    [
      "own-key",
      { type: "own", credentials: { type: "api-key", secretRef: { name: "s" } } },
      "credentials of type none",
    ],
    ["no-secret", { credentials: { type: "api-key" } }, "secretRef is needed"],
    ["both-configs", { agentConfigRef: { name: "a" }, agentConfigRefs: [{ name: "b" }] }, "not both"],
  ])("%s is refused by the API server itself", async (name, more, message) => {
    expect(await refusal(scene.task(name, "true", more))).toMatch(new RegExp(`^422 .*${message}`, "s"));
  });

  test("a name that no Job could carry is refused at once", async () => {
    expect(await refusal(scene.task("x".repeat(64), "true"))).toContain("must be a DNS label of at most 63");
    expect(await refusal(scene.task("with.dot", "true"))).toContain("must be a DNS label");
  });

  test("a spec can't be changed, but for cancel, and that only once", async () => {
    await scene.task("fixed", "true", { model: "m" });
    const patch = (spec: object) => refusal(scene.client.patch(tasks, scene.namespace, "fixed", { spec }));
    expect(await patch({ prompt: "other" })).toContain("prompt can't be changed");
    expect(await patch({ podOverrides: { env: [{ name: "A", value: "b" }] } })).toContain(
      "nothing but cancel can be added",
    );
    expect(await patch({ model: null })).toContain("nothing but cancel can be added or removed");
    expect(await patch({ cancel: true })).toBe("accepted");
    expect(await patch({ cancel: false })).toContain("can't be taken back");
    expect(await patch({ cancel: null })).toContain("can't be taken back");
  });

  test.each([
    ["../x", "plain relative path"],
    ["/abs", "plain relative path"],
    ["a\\b", "plain relative path"],
    [".", "plain relative path"],
    ["a/../../x", "plain relative path"],
    [".git/hooks/post-checkout", "not in .git"],
  ])("a Workspace file at %s is refused", async (path, message) => {
    const spec = { repo: "https://github.com/a/b", depth: 1, files: [{ path, content: "" }] };
    expect(await refusal(scene.make(workspaces, "w", { spec }))).toMatch(new RegExp(`^422 .*${message}`, "s"));
  });

  test.each([
    [
      "two remotes of one name",
      {
        remotes: [
          { name: "a", url: "https://x/a" },
          { name: "a", url: "https://x/b" },
        ],
      },
      "Duplicate value",
    ],
    [
      "a remote called origin",
      { remotes: [{ name: "origin", url: "https://x/a" }] },
      "origin is the repository itself",
    ],
    ["a remote that is an option", { remotes: [{ name: "--upload-pack=x", url: "https://x/a" }] }, "should match"],
    ["a repository that is a command", { repo: "ext::sh -c touch% /tmp/x" }, "should match"],
    ["a local repository", { repo: "file:///etc" }, "should match"],
    ["a ref that is an option", { ref: "--upload-pack=touch /tmp/x" }, "can't begin with a dash"],
  ])("a Workspace with %s is refused", async (_, spec, message) => {
    expect(
      await refusal(scene.make(workspaces, "w", { spec: { repo: "https://github.com/a/b", depth: 1, ...spec } })),
    ).toMatch(new RegExp(`^422 .*${message}`, "s"));
  });

  test("with the installation's admission policy, images and accounts are refused at once too", async () => {
    const options = {
      namespace: scene.namespace,
      image: "x",
      allowedImages: ["cox.test/"],
      allowedServiceAccounts: ["builder"],
      allowedPriorityClasses: ["batch"],
      allowedTolerations: ["pool=agents", "gpu"],
      allowedLabels: ["team"],
    };
    const policies = clusterManifests(options).filter(({ kind }) => kind.startsWith("ValidatingAdmissionPolicy"));
    const plural = {
      ValidatingAdmissionPolicy: "validatingadmissionpolicies",
      ValidatingAdmissionPolicyBinding: "validatingadmissionpolicybindings",
    } as Record<string, string>;
    const kindOf = ({ apiVersion, kind }: { apiVersion: string; kind: string }) => ({
      apiVersion,
      kind,
      plural: plural[kind] ?? "",
      clusterScoped: true,
    });
    for (const policy of policies) await scene.client.apply(kindOf(policy), policy);
    try {
      const ask = (more: object) =>
        refusal(
          scene.client.request("POST", `/apis/coxswain.dev/v1alpha1/namespaces/${scene.namespace}/tasks`, {
            query: { dryRun: "All" },
            body: {
              apiVersion: "coxswain.dev/v1alpha1",
              kind: "Task",
              metadata: { name: "dry" },
              spec: { type: "own", prompt: "x", image: "cox.test/a", credentials: { type: "none" }, ...more },
            },
          }),
        );
      await scene.until("the policy to hold", async () =>
        (await ask({ image: "evil.example/a" })).includes("image: allowed here: cox.test/"),
      );
      expect(await ask({ podOverrides: { serviceAccountName: "admin" } })).toContain("allowed here: builder");
      expect(await ask({ podOverrides: { serviceAccountName: "builder" } })).toBe("accepted");
      expect(await ask({ podOverrides: { priorityClassName: "system-node-critical" } })).toContain(
        "allowed here: batch",
      );
      expect(await ask({ podOverrides: { priorityClassName: "batch" } })).toBe("accepted");
      expect(await ask({ podOverrides: { labels: { team: "a", app: "db" } } })).toContain("allowed here: team");
      expect(await ask({ podOverrides: { labels: { team: "a" } } })).toBe("accepted");
      const tolerating = (toleration: object) => ask({ podOverrides: { tolerations: [toleration] } });
      for (const toleration of [{ operator: "Exists" }, { key: "pool", operator: "Exists" }, { key: "pool" }])
        expect(await tolerating(toleration)).toContain("allowed here: pool=agents, gpu");
      for (const toleration of [
        { key: "gpu", operator: "Exists" },
        { key: "pool", value: "agents" },
      ])
        expect(await tolerating(toleration)).toBe("accepted");
    } finally {
      for (const policy of policies.toReversed())
        await scene.client.delete(kindOf(policy), undefined, policy.metadata.name);
    }
  });
});

describe.skipIf(noCluster)("the operator's account", () => {
  let scene: ClusterScene;
  let account: KubeClient;
  beforeAll(async () => {
    scene = await ClusterScene.open();
    account = await scene.account();
  });
  afterAll(async () => {
    account?.close();
    await scene?.close();
  });

  /** `kubectl auth can-i`, asked as the operator. */
  async function can(verb: string, resource: string, namespace: string | undefined): Promise<boolean> {
    const [plural = "", group = ""] =
      resource.split(".", 2).length === 1
        ? [resource]
        : [resource.slice(0, resource.indexOf(".")), resource.slice(resource.indexOf(".") + 1)];
    const [name, subresource] = plural.split("/");
    const resourceAttributes = { verb, group, resource: name, subresource, namespace };
    const { status } = await account.request<{ status: { allowed: boolean } }>(
      "POST",
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      {
        body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes } },
      },
    );
    return status.allowed;
  }

  test.each([
    ["get", "secrets"],
    ["create", "jobs.batch"],
    ["patch", "jobs.batch"],
    ["patch", "tasks/status.coxswain.dev"],
    ["delete", "tasks.coxswain.dev"],
    ["get", "pods/log"],
    ["update", "leases.coordination.k8s.io"],
    ["create", "events"],
  ])("can %s %s in its namespace, and nowhere else", async (verb, resource) => {
    expect(await can(verb, resource, scene.namespace)).toBe(true);
    expect(await can(verb, resource, "default")).toBe(false);
    expect(await can(verb, resource, undefined)).toBe(false);
  });

  test.each([
    ["list", "secrets"],
    ["watch", "secrets"],
    ["create", "secrets"],
    ["update", "secrets"],
    ["create", "pods"],
    ["create", "pods/exec"],
    ["delete", "pods"],
    ["delete", "jobs.batch"],
    ["create", "tasks.coxswain.dev"],
    ["update", "tasks.coxswain.dev"],
    ["patch", "tasks.coxswain.dev"],
    ["delete", "configmaps"],
    ["create", "serviceaccounts/token"],
    ["create", "roles.rbac.authorization.k8s.io"],
    ["create", "rolebindings.rbac.authorization.k8s.io"],
    ["impersonate", "users"],
    ["create", "deployments.apps"],
  ])("can not %s %s", async (verb, resource) => {
    expect(await can(verb, resource, scene.namespace)).toBe(false);
  });

  test("reads no Secret of another namespace, whatever a Task says", async () => {
    await scene.secret("here", {});
    await expect(account.get(secrets, scene.namespace, "here")).resolves.toBeDefined();
    const other = account.get(secrets, "kube-system", "any");
    await expect(other).rejects.toSatisfy((error: unknown) => hasStatus(error, 403));
    await expect(account.list(jobs, undefined)).rejects.toSatisfy((error: unknown) => hasStatus(error, 403));
  });
});
