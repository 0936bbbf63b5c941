import { allCrds } from "../../contract/resources/crd.ts";
import { AGENT_UID, LABELS } from "../../contract/resources/names.ts";
import type { KubeObject } from "../kube/resource.ts";
import type { Allowed } from "./allow/disallowed.ts";
import { admissionPolicy } from "./fence/admission-policy.ts";
import { networkRules, operatorRules, type PolicyRule, userRules } from "./rights.ts";

export interface InstallOptions extends Allowed {
  /** Where the operator lives, and looks for Tasks. */
  namespace: string;
  /** Where it looks for Tasks too. They are there already: what else is in them is not ours to decide. */
  watch?: readonly string[];
  /** The operator's own image. */
  image: string;
  /** Further arguments of `cox operator`. */
  args?: readonly string[];
  replicas?: number;
  imagePullSecrets?: readonly string[];
  egress?: readonly string[];
  dns?: readonly string[];
}

export const namespacesOf = ({ namespace, watch = [] }: InstallOptions): string[] => [
  ...new Set([namespace, ...watch]),
];

type Manifest = KubeObject & Record<string, unknown>;

const NAME = "coxswain-operator";
const labels = { "app.kubernetes.io/name": NAME, "app.kubernetes.io/part-of": "coxswain", [LABELS.managedBy]: "cox" };

/**
 * Everything an installation is, in the order it is applied. The kinds, the two roles for people and the admission policy are the
 * cluster's, for there is no other place for them; the operator itself has no right beyond a Role in each of its namespaces.
 */
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
  const { namespace, egress } = options;
  const rules = [...operatorRules, ...(egress === undefined ? [] : networkRules)];
  return [
    object("v1", "ServiceAccount", NAME, namespace),
    ...namespacesOf(options).flatMap((watched) => rights(rules, watched, namespace)),
    deployment(options),
  ];
}

/** In one namespace, for the account that lives in another or the same. */
function rights(rules: readonly PolicyRule[], watched: string, home: string): Manifest[] {
  const name = watched === home ? NAME : `${NAME}.${home}`;
  return [
    { ...object("rbac.authorization.k8s.io/v1", "Role", name, watched), rules },
    {
      ...object("rbac.authorization.k8s.io/v1", "RoleBinding", name, watched),
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name: NAME, namespace: home }],
    },
  ];
}

function object(apiVersion: string, kind: string, name: string, namespace?: string): Manifest {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels } };
}

const PORT = 8080;

function deployment(options: InstallOptions): Manifest {
  const { namespace, image, args = [], replicas = 1, imagePullSecrets = [] } = options;
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
                ...each("namespace", namespacesOf(options)),
                `--listen=0.0.0.0:${PORT}`,
                `--init-image=${image}`,
                ...each("allow-image", options.allowedImages),
                ...each("allow-service-account", options.allowedServiceAccounts),
                ...each("allow-priority-class", options.allowedPriorityClasses),
                ...each("allow-toleration", options.allowedTolerations),
                ...each("allow-label", options.allowedLabels),
                ...each("egress", options.egress),
                ...each("dns", options.dns),
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
