import { allCrds } from "../contract/resources/crd.ts";
import { AGENT_UID, LABELS } from "../contract/resources/names.ts";
import { admissionPolicy } from "./admission-policy.ts";
import type { KubeObject } from "./kube/resource.ts";
import { networkRules, operatorRules, type PolicyRule, userRules } from "./rights.ts";

export interface InstallOptions {
  namespace: string;
  /** Looks after all namespaces; needs cluster rights. */
  clusterWide: boolean;
  /** The operator's own image. */
  image: string;
  /** Further arguments of `cox operator`. */
  args?: readonly string[];
  replicas?: number;
  imagePullSecrets?: readonly string[];
  allowedImages?: readonly string[];
  allowedServiceAccounts?: readonly string[];
  egress?: readonly string[];
}

type Manifest = KubeObject & Record<string, unknown>;

const NAME = "coxswain-operator";
const labels = { "app.kubernetes.io/name": NAME, "app.kubernetes.io/part-of": "coxswain", [LABELS.managedBy]: "cox" };

/** Everything an installation is, in the order it is applied. The kinds and roles are the cluster's, the rest the namespace's. */
export function installManifests(options: InstallOptions): Manifest[] {
  return [...clusterManifests(options), namespaceManifest(options), ...namespacedManifests(options)];
}

/** Needs an administrator, once per cluster. */
export function clusterManifests(options: InstallOptions): Manifest[] {
  const roles = (["view", "edit"] as const).map((verb) => ({
    ...object("rbac.authorization.k8s.io/v1", "ClusterRole", `coxswain-${verb}`),
    metadata: {
      name: `coxswain-${verb}`,
      labels: {
        ...labels,
        ...Object.fromEntries(
          (verb === "view" ? ["view", "edit", "admin"] : ["edit", "admin"]).map((role) => [
            `rbac.authorization.k8s.io/aggregate-to-${role}`,
            "true",
          ]),
        ),
      },
    },
    rules: userRules[verb],
  }));
  return [...(allCrds() as Manifest[]), ...roles, ...admissionPolicy(options)];
}

/** The agents' pods meet the restricted profile, so the namespace can insist on it. */
function namespaceManifest({ namespace }: InstallOptions): Manifest {
  const enforced = {
    "pod-security.kubernetes.io/enforce": "restricted",
    "pod-security.kubernetes.io/warn": "restricted",
  };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels: { ...labels, ...enforced } } };
}

export function namespacedManifests(options: InstallOptions): Manifest[] {
  const { namespace, clusterWide, egress } = options;
  const rules = [...operatorRules, ...(egress === undefined ? [] : networkRules)];
  return [
    object("v1", "ServiceAccount", NAME, namespace),
    ...(clusterWide
      ? [...clusterRights(rules, namespace), ...rights("Role", leaseRules, namespace)]
      : rights("Role", rules, namespace)),
    deployment(options),
  ];
}

/** The lease of the operator itself is in its own namespace. */
const leaseRules = operatorRules.filter(({ resources }) => resources.includes("leases"));

function rights(kind: "Role", rules: readonly PolicyRule[], namespace: string): Manifest[] {
  return [
    { ...object("rbac.authorization.k8s.io/v1", kind, NAME, namespace), rules },
    {
      ...object("rbac.authorization.k8s.io/v1", "RoleBinding", NAME, namespace),
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: NAME },
      subjects: [{ kind: "ServiceAccount", name: NAME, namespace }],
    },
  ];
}

function clusterRights(rules: readonly PolicyRule[], namespace: string): Manifest[] {
  return [
    { ...object("rbac.authorization.k8s.io/v1", "ClusterRole", NAME), rules },
    {
      ...object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", NAME),
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: NAME },
      subjects: [{ kind: "ServiceAccount", name: NAME, namespace }],
    },
  ];
}

function object(apiVersion: string, kind: string, name: string, namespace?: string): Manifest {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels } };
}

const PORT = 8080;

function deployment(options: InstallOptions): Manifest {
  const { namespace, clusterWide, image, args = [], replicas = 1, imagePullSecrets = [] } = options;
  const selector = { "app.kubernetes.io/name": NAME };
  const each = (name: string, values: readonly string[] | undefined) =>
    (values ?? []).map((value) => `--${name}=${value}`);
  const probe = (path: string) => ({ httpGet: { path, port: PORT }, periodSeconds: 10 });
  return {
    ...object("apps/v1", "Deployment", NAME, namespace),
    spec: {
      replicas,
      selector: { matchLabels: selector },
      template: {
        metadata: {
          labels: { ...labels, ...selector },
          annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": String(PORT) },
        },
        spec: {
          serviceAccountName: NAME,
          ...(imagePullSecrets.length > 0 ? { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) } : {}),
          securityContext: {
            runAsNonRoot: true,
            runAsUser: AGENT_UID,
            runAsGroup: AGENT_UID,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [
            {
              name: "operator",
              image,
              command: ["cox"],
              args: [
                "operator",
                clusterWide ? "--all-namespaces" : `--namespace=${namespace}`,
                `--listen=0.0.0.0:${PORT}`,
                `--init-image=${image}`,
                ...each("allow-image", options.allowedImages),
                ...each("allow-service-account", options.allowedServiceAccounts),
                ...each("egress", options.egress),
                ...args,
              ],
              env: [
                { name: "COX_HOME", value: "/tmp/coxswain" },
                { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
              ],
              ports: [{ name: "status", containerPort: PORT }],
              livenessProbe: probe("/healthz"),
              readinessProbe: probe("/readyz"),
              resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "512Mi" } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ["ALL"] },
              },
              volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
            },
          ],
          volumes: [{ name: "tmp", emptyDir: {} }],
        },
      },
    },
  };
}
