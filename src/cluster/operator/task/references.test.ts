import { describe, expect, test } from "vitest";
import type { AgentConfigSpec } from "../../../contract/resources/agent-config.ts";
import type { PodOverrides } from "../../../contract/resources/pod-overrides.ts";
import type { TaskSpec } from "../../../contract/resources/task.ts";
import type { WorkspaceSpec } from "../../../contract/resources/workspace.ts";
import { defaultOptions, type OperatorOptions } from "../options.ts";
import { type Found, resolveReferences } from "./references.ts";
import { aTask } from "./test-objects.ts";

const nothing: Found = {
  workspace: undefined,
  configs: new Map(),
  secrets: new Map(),
  claims: new Map(),
  configValues: new Map(),
};
const open: OperatorOptions = { ...defaultOptions, images: { codex: "codex:1" } };

const problems = (spec: Partial<TaskSpec>, found: Partial<Found> = {}, options: Partial<OperatorOptions> = {}) => {
  const resolved = resolveReferences(aTask(spec).spec, { ...nothing, ...found }, { ...open, ...options });
  return "workspaceSecret" in resolved ? [] : resolved;
};
const pod = (podOverrides: PodOverrides): Partial<TaskSpec> => ({ podOverrides });

describe("what the installation doesn't allow is refused, with the field and whom to ask", () => {
  const everything = { operator: "Exists" as const };
  test.each<[string, Partial<TaskSpec>, Partial<OperatorOptions>, string]>([
    ["an image beside the allowed one", { image: "a/b-evil:1" }, { allowedImages: ["a/b"] }, "spec.image: a/b-evil:1"],
    ["a priority", pod({ priorityClassName: "system-node-critical" }), {}, "spec.podOverrides.priorityClassName"],
    [
      "another priority",
      pod({ priorityClassName: "system-cluster-critical" }),
      { allowedPriorityClasses: ["batch"] },
      "(allowed: batch); ask whoever runs the operator for --allow-priority-class",
    ],
    ["every taint", pod({ tolerations: [everything] }), { allowedTolerations: ["pool"] }, "tolerations: every taint"],
    [
      "the control plane",
      pod({ tolerations: [{ key: "node-role.kubernetes.io/control-plane", operator: "Exists" }] }),
      {},
      "(allowed: none); ask whoever runs the operator for --allow-toleration",
    ],
    [
      "a label that a Service may choose by",
      pod({ labels: { team: "a", app: "database" } }),
      { allowedLabels: ["team"] },
      "spec.podOverrides.labels: app is not allowed here (allowed: team)",
    ],
    ["an account", pod({ serviceAccountName: "coxswain-operator" }), {}, "serviceAccountName: coxswain-operator"],
  ])("%s", (_, spec, options, message) => {
    expect(problems(spec, {}, options)).toEqual([
      { reason: "NotAllowed", message: expect.stringContaining(message), denied: true },
    ]);
  });

  test.each<[string, Partial<TaskSpec>, Partial<OperatorOptions>]>([
    ["an image", { image: "a/b:1" }, { allowedImages: ["a/b"] }],
    ["a priority", pod({ priorityClassName: "batch" }), { allowedPriorityClasses: ["batch"] }],
    ["a taint", pod({ tolerations: [{ key: "pool", value: "agents" }] }), { allowedTolerations: ["pool=agents"] }],
    ["a label", pod({ labels: { team: "a" } }), { allowedLabels: ["team"] }],
    ["an account", pod({ serviceAccountName: "builder" }), { allowedServiceAccounts: ["builder"] }],
  ])("%s that is allowed is taken", (_, spec, options) => {
    expect(problems(spec, {}, options)).toEqual([]);
  });

  test("all of it is said at once", () => {
    const spec = pod({ priorityClassName: "system-node-critical", tolerations: [everything, everything] });
    expect(problems(spec)).toHaveLength(3);
  });
});

/** Every way in which a Secret gets into a pod: the Task, what else is there, and the field that is named. */
const ways: Record<string, { spec: Partial<TaskSpec>; found?: Partial<Found>; field: string }> = {
  credentials: {
    spec: { credentials: { type: "api-key", secretRef: { name: "db" } } },
    field: "spec.credentials.secretRef",
  },
  "the Workspace": {
    spec: { workspaceRef: { name: "w" } },
    found: {
      workspace: { repo: "https://git.example/r", depth: 1, secretRef: { name: "db" } } satisfies WorkspaceSpec,
    },
    field: "the Workspace's spec.secretRef",
  },
  "an MCP server's variable": config({
    ...{ name: "m", type: "stdio", command: "x" },
    env: [{ name: "A", valueFrom: { secretKeyRef: { name: "db", key: "CODEX_API_KEY" } } }],
  }),
  "an MCP server's variables": config({
    ...{ name: "m", type: "stdio", command: "x" },
    envFrom: { secretRef: { name: "db" } },
  }),
  "an MCP server's headers": config({
    ...{ name: "m", type: "http", url: "https://m.example" },
    headersFrom: { secretRef: { name: "db" } },
  }),
  "a variable": {
    spec: pod({ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "db", key: "CODEX_API_KEY" } } }] }),
    field: "spec.podOverrides.env A",
  },
  "a variable that may be missing": {
    spec: pod({ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "db", key: "k", optional: true } } }] }),
    field: "spec.podOverrides.env A",
  },
  "a volume": {
    spec: pod({ volumes: [{ name: "v", secret: { secretName: "db" } }] }),
    field: "spec.podOverrides.volumes v",
  },
  "a volume that may be missing": {
    spec: pod({ volumes: [{ name: "v", secret: { secretName: "db", optional: true } }] }),
    field: "spec.podOverrides.volumes v",
  },
  "the registry's key": {
    spec: pod({ imagePullSecrets: [{ name: "db" }] }),
    field: "spec.podOverrides.imagePullSecrets",
  },
};

function config(server: NonNullable<AgentConfigSpec["mcpServers"]>[number]) {
  return {
    spec: { agentConfigRef: { name: "c" } },
    found: { configs: new Map([["c", { mcpServers: [server] }]]) },
    field: "MCP server m of its AgentConfig",
  };
}

describe.each(Object.entries(ways))("a Secret by way of %s", (_, { spec, found, field }) => {
  const keys = ["CODEX_API_KEY", "GITHUB_TOKEN"];
  test("that isn't marked as usable by Tasks holds the Task, and says what to ask for", () => {
    expect(problems(spec, { ...found, secrets: new Map([["db", { keys, usable: false }]]) })).toEqual([
      {
        reason: "SecretNotUsable",
        message: `Secret db (for ${field}) is not marked as usable by Tasks; ask its owner for: kubectl label secret db coxswain.dev/usable-by-tasks=true`,
        denied: false,
      },
    ]);
  });

  test("that is marked is taken", () => {
    expect(problems(spec, { ...found, secrets: new Map([["db", { keys, usable: true }]]) })).toEqual([]);
  });
});

describe("what else is looked at before a Job is made", () => {
  test("a Secret that isn't marked tells nothing of its keys", () => {
    const secrets = new Map([["db", { keys: ["password"], usable: false }]]);
    const said = problems({ credentials: { type: "api-key", secretRef: { name: "db" } } }, { secrets });
    expect(said.map(({ reason }) => reason)).toEqual(["SecretNotUsable"]);
  });

  test.each([
    ["missing", undefined, ["PersistentVolumeClaimNotFound"]],
    ["not marked", { usable: false }, ["PersistentVolumeClaimNotUsable"]],
    ["marked", { usable: true }, []],
  ])("a claim that is %s", (_, claim, reasons) => {
    const spec = pod({ volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] });
    expect(problems(spec, { claims: new Map([["data", claim]]) }).map(({ reason }) => reason)).toEqual(reasons);
  });
});
