import { AppError } from "../../contract/errors.ts";
import { VERSION } from "../../lib/base/version.ts";
import type { OptionSpec } from "../../lib/command/command.ts";
import { isNotFound } from "../kube/error.ts";
import type { KubeObject, Resource } from "../kube/resource.ts";
import { DEFAULT_DNS } from "../operator/fence/network-policy.ts";
import { bundledImages, DEFAULT_REGISTRY } from "../operator/images.ts";
import { type InstallOptions, installManifests, namespacedManifests } from "../operator/manifests.ts";
import type { Cluster } from "./cluster.ts";
import { checkLists } from "./operator-lists.ts";

export const DEFAULT_NAMESPACE = "coxswain";
/** On the Deployment: what it was installed with, so that an upgrade asks nothing again. */
const OPTIONS = "coxswain.dev/install-options";
const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments" } as const;
const OPERATOR = "coxswain-operator";

export const installOptions = {
  watch: {
    value: "NAMESPACE",
    repeat: true,
    help: "a further namespace to look for Tasks in, which exists (repeatable)",
  },
  "namespaced-only": { help: "the kinds and roles are there already, put there by an administrator" },
  registry: { value: "URL", help: `where the images are (${DEFAULT_REGISTRY})` },
  image: { value: "IMAGE", help: "the operator's own image, in place of the registry's" },
  "agent-image": { value: "TYPE=IMAGE", repeat: true, help: "image for one agent type (repeatable)" },
  replicas: { value: "N", help: "how many operators stand by; one works (1)" },
  "pull-secret": { value: "NAME", repeat: true, help: "Secret for the registry (repeatable)" },
  "allow-image": { value: "PREFIX", repeat: true, help: "images that Tasks may name, by whole path segments (any)" },
  "allow-service-account": { value: "NAME", repeat: true, help: "service accounts that Tasks may name (none)" },
  "allow-priority-class": { value: "NAME", repeat: true, help: "priority classes that Tasks may name (none)" },
  "allow-toleration": { value: "KEY[=VALUE]", repeat: true, help: "taints that Tasks may tolerate (none)" },
  "allow-label": { value: "KEY", repeat: true, help: "labels that Tasks may give their pods (none)" },
  egress: { value: "CIDR", repeat: true, help: "fence agents in: they may reach these addresses alone (no fence)" },
  dns: {
    value: "RESOLVER",
    repeat: true,
    help: `with --egress: name servers, by CIDR or NAMESPACE/KEY=VALUE of their pods (${DEFAULT_DNS})`,
  },
  "server-url": { value: "URL", help: "a Coxswain server that keeps transcripts" },
  "server-token-secret": { value: "NAME", help: "Secret whose key `token` opens it" },
} as const satisfies Record<string, OptionSpec>;

export type InstallValues = {
  [K in keyof typeof installOptions]?: (typeof installOptions)[K] extends { repeat: true }
    ? string[]
    : (typeof installOptions)[K] extends { value: string }
      ? string
      : boolean;
} & { namespace?: string };

export function optionsFrom(values: InstallValues): InstallOptions {
  const registry = values.registry ?? DEFAULT_REGISTRY;
  const args = operatorArguments(values);
  const lists = {
    watch: values.watch,
    imagePullSecrets: values["pull-secret"],
    allowedImages: values["allow-image"],
    allowedServiceAccounts: values["allow-service-account"],
    allowedPriorityClasses: values["allow-priority-class"],
    allowedTolerations: values["allow-toleration"],
    allowedLabels: values["allow-label"],
    egress: values.egress,
    dns: values.dns,
  };
  checkLists(lists);
  return {
    namespace: values.namespace ?? DEFAULT_NAMESPACE,
    image: values.image ?? bundledImages(registry, VERSION).operator,
    ...(args.length === 0 ? {} : { args }),
    ...(values.replicas === undefined ? {} : { replicas: count(values.replicas) }),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined)),
  };
}

/** What the operator is told that the manifests have no say in. */
function operatorArguments(values: InstallValues): string[] {
  const pairs = (["registry", "server-url", "server-token-secret"] as const).map(
    (name) => [name, values[name]] as const,
  );
  return [
    ...pairs.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
    ...(values["agent-image"] ?? []).map((pair) => `--image=${pair}`),
  ];
}

function count(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new AppError("usage.invalid", `--replicas ${JSON.stringify(text)}: not a number from 1 to 99`);
}

/** All of it, or what needs no administrator. */
export function manifestsOf(options: InstallOptions, namespacedOnly: boolean): KubeObject[] {
  const all = namespacedOnly ? namespacedManifests(options) : installManifests(options);
  return all.map((manifest) => (isOperator(manifest) ? withOptions(manifest, options) : manifest));
}

const isOperator = ({ kind, metadata }: KubeObject) => kind === "Deployment" && metadata.name === OPERATOR;

function withOptions<T extends KubeObject>(manifest: T, options: InstallOptions): T {
  const annotations = { ...manifest.metadata.annotations, [OPTIONS]: JSON.stringify(options) };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

/** What is installed in a namespace, or nothing. */
export async function installedIn({ client }: Cluster, namespace: string): Promise<InstallOptions | undefined> {
  try {
    const { metadata } = await client.get<KubeObject>(DEPLOYMENT, namespace, OPERATOR);
    const text = metadata.annotations?.[OPTIONS];
    // Made by hand from the plain YAML: all there is to know is where.
    if (text === undefined) return optionsFrom({ namespace });
    return { ...(JSON.parse(text) as InstallOptions), namespace };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The kinds, roles and rules that all installations of a cluster share, or that are outside its namespace. */
export const isClusterWide = (manifest: KubeObject): boolean => manifest.metadata.namespace === undefined;

/** Every kind we install has a regular plural. */
export function resourceOf({ apiVersion, kind, metadata }: KubeObject): Resource {
  const plural = `${kind.toLowerCase().replace(/y$/, "ie")}s`;
  return { apiVersion, kind, plural, clusterScoped: metadata.namespace === undefined };
}

export const nameOf = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;
