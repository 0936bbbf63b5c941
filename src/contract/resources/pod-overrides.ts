import { z } from "zod";
import { listMap, rules } from "./object.ts";

/**
 * What a Task may say about its pod. Anything that could reach the node, another identity or more privileges is named here
 * too, with a rule that refuses it: an unknown field would be dropped in silence, and its author would believe it holds.
 */

const refused = (field: string, what: string) =>
  z
    .boolean()
    .optional()
    .describe(`Not allowed: ${what}.`)
    .meta(rules({ rule: "!self", message: `${field} is not allowed: ${what}` }));

const Quantity = z
  .union([z.number(), z.string()])
  .meta({ "x-kubernetes-int-or-string": true })
  .describe("A Kubernetes quantity, such as 500m or 2Gi.");
const Quantities = z.record(z.string(), Quantity);

const KeyReference = (what: string) =>
  z.object({
    name: z.string().min(1).describe(`Name of the ${what}.`),
    key: z.string().min(1).describe(`Key in the ${what}.`),
    optional: z.boolean().optional().describe("Whether it may be missing."),
  });

export const EnvVar = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_.-]*$/)
    .max(256)
    .describe("Name of the variable."),
  value: z.string().max(98_304).optional().describe("Its value."),
  valueFrom: z
    .object({
      secretKeyRef: KeyReference("Secret")
        .optional()
        .describe("Taken from a Secret; the value never appears in a spec."),
      configMapKeyRef: KeyReference("ConfigMap").optional().describe("Taken from a ConfigMap."),
    })
    .optional()
    .describe("Where the value comes from."),
});
export type EnvVar = z.infer<typeof EnvVar>;

const items = z
  .array(z.object({ key: z.string(), path: z.string(), mode: z.number().int().optional() }))
  .optional()
  .describe("Which keys, under which file names.");

const Volume = z
  .object({
    name: z
      .string()
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
      .max(63)
      .describe("Name of the volume."),
    emptyDir: z
      .object({ medium: z.enum(["", "Memory"]).optional(), sizeLimit: Quantity.optional() })
      .optional()
      .describe("An empty directory that lives as long as the pod."),
    configMap: z
      .object({ name: z.string(), items, optional: z.boolean().optional() })
      .optional()
      .describe("A ConfigMap as files."),
    secret: z
      .object({
        secretName: z.string(),
        items,
        optional: z.boolean().optional(),
        defaultMode: z.number().int().optional(),
      })
      .optional()
      .describe("A Secret as files; its owner has marked it as usable by Tasks."),
    persistentVolumeClaim: z
      .object({ claimName: z.string(), readOnly: z.boolean().optional() })
      .optional()
      .describe("A claim of the same namespace; its owner has marked it as usable by Tasks."),
    hostPath: z.object({ path: z.string().optional() }).optional().describe("Not allowed: files of the node."),
  })
  .meta(
    rules(
      { rule: "!has(self.hostPath)", message: "hostPath is not allowed: a Task may not see files of the node" },
      {
        rule: "self.name != 'workspace' && !self.name.startsWith('kelos-') && !self.name.startsWith('cox-')",
        message: "volume names workspace, kelos-… and cox-… belong to the operator",
      },
      {
        rule: "has(self.emptyDir) || has(self.configMap) || has(self.secret) || has(self.persistentVolumeClaim)",
        message: "a volume is an emptyDir, configMap, secret or persistentVolumeClaim",
      },
    ),
  );

const VolumeMount = z.object({
  name: z.string().describe("Name of the volume."),
  mountPath: z.string().min(1).describe("Where it appears in the agent's container."),
  subPath: z.string().optional().describe("A path inside the volume."),
  readOnly: z.boolean().optional().describe("Whether the agent may only read it."),
});

const Toleration = z.object({
  key: z.string().optional(),
  operator: z.enum(["Exists", "Equal"]).optional(),
  value: z.string().optional(),
  effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]).optional(),
  tolerationSeconds: z.number().int().optional(),
});

const id = () =>
  z
    .number()
    .int()
    .optional()
    .meta(rules({ rule: "self > 0", message: "the agent may not run as root" }));

export const PodOverrides = z.object({
  labels: z
    .record(z.string(), z.string())
    .optional()
    .describe("Added to the Job and its pod; only those the operator was told to allow, and its own labels win."),
  resources: z
    .object({
      requests: Quantities.optional().describe("What it is promised."),
      limits: Quantities.optional().describe("What it can't exceed."),
    })
    .optional()
    .describe("Of the agent's container, in place of the operator's defaults."),
  activeDeadlineSeconds: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe("The same as spec.timeoutSeconds; the shorter of the two holds."),
  env: z
    .array(EnvVar)
    .max(256)
    .optional()
    .meta(listMap("name"))
    .describe(
      "Variables of the agent's container. What the operator sets itself, and names that begin with KELOS_ or COX_, win over them.",
    ),
  nodeSelector: z.record(z.string(), z.string()).optional().describe("Labels the node must have."),
  tolerations: z
    .array(Toleration)
    .max(64)
    .optional()
    .describe("Taints the pod puts up with; only those the operator was told to allow."),
  affinity: z
    .record(z.string(), z.any())
    .optional()
    .meta({ "x-kubernetes-preserve-unknown-fields": true })
    .describe("Scheduling preferences, as in a pod."),
  priorityClassName: z.string().optional().describe("Priority of the pod; only those the operator was told to allow."),
  imagePullSecrets: z
    .array(z.object({ name: z.string().min(1) }))
    .max(16)
    .optional()
    .describe("Secrets for the registry. As every Secret, marked by their owner as usable by Tasks."),
  serviceAccountName: z
    .string()
    .optional()
    .describe("The pod's identity; only those the operator was told to allow. Its token is mounted only then."),
  volumes: z.array(Volume).max(32).optional().meta(listMap("name")).describe("Volumes added to the pod."),
  volumeMounts: z.array(VolumeMount).max(32).optional().describe("Where the agent's container sees them."),
  terminationGracePeriodSeconds: z
    .number()
    .int()
    .min(0)
    .max(3600)
    .optional()
    .describe("How long the agent has to finish after it was asked to stop; 30 if not given."),
  podSecurityContext: z
    .object({
      runAsUser: id().describe("User of the pod's processes."),
      runAsGroup: id().describe("Group of the pod's processes."),
      fsGroup: id().describe("Group that owns the volumes."),
      supplementalGroups: z
        .array(z.number().int())
        .max(32)
        .optional()
        .meta(rules({ rule: "self.all(group, group > 0)", message: "the agent may not be in root's group" }))
        .describe("Further groups."),
    })
    .optional()
    .describe("Users and groups of the pod. Root is refused."),
  containerSecurityContext: z
    .object({
      readOnlyRootFilesystem: z.boolean().optional().describe("Whether the image's files can't be changed."),
      privileged: refused("privileged", "a privileged container is the node"),
      allowPrivilegeEscalation: refused("allowPrivilegeEscalation", "the agent keeps the rights it starts with"),
      capabilities: z
        .object({ add: z.array(z.string()).optional().describe("Not allowed.") })
        .optional()
        .meta(rules({ rule: "!has(self.add)", message: "capabilities are not allowed: an agent runs without any" }))
        .describe("Not allowed: all are dropped."),
    })
    .optional()
    .describe("Security of the agent's container; it can only be made narrower."),
  hostNetwork: refused("hostNetwork", "the pod has a network of its own"),
  hostPID: refused("hostPID", "the pod sees its own processes only"),
  hostIPC: refused("hostIPC", "the pod has its own shared memory"),
});
export type PodOverrides = z.infer<typeof PodOverrides>;
