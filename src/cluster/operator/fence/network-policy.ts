import { isIP } from "node:net";
import { AppError } from "../../../contract/errors.ts";
import { LABELS, MANAGED_BY } from "../../../contract/resources/names.ts";
import type { NetworkPolicy } from "../../kube/objects.ts";
import { networkPolicies } from "../../kube/resource.ts";

export const POLICY_NAME = "coxswain-agents";
/** Where clusters have their name service, unless they say otherwise. */
export const DEFAULT_DNS = "kube-system/k8s-app=kube-dns";

/** What agents may reach. */
export interface Fence {
  /** Addresses, as CIDR. */
  egress: readonly string[];
  /** Name servers, as `NAMESPACE/KEY=VALUE` (pods by their label) or as CIDR; none: the cluster's own. */
  dns?: readonly string[];
}

/**
 * Nobody reaches an agent; an agent reaches name service and what is listed. Name service is the cluster's resolver alone: port 53
 * of any address would be a way out. Kept by the cluster's network plugin.
 */
export function networkPolicyOf(namespace: string, { egress, dns = [DEFAULT_DNS] }: Fence): NetworkPolicy {
  const names = { to: dns.map(resolverOf), ports: ["UDP", "TCP"].map((protocol) => ({ protocol, port: 53 })) };
  return {
    apiVersion: networkPolicies.apiVersion,
    kind: "NetworkPolicy",
    metadata: { name: POLICY_NAME, namespace, labels: { [LABELS.managedBy]: MANAGED_BY } },
    spec: {
      podSelector: { matchExpressions: [{ key: LABELS.task, operator: "Exists" }] },
      policyTypes: ["Ingress", "Egress"],
      // Said, so that it is ours: what somebody adds here goes with the next apply.
      ingress: [],
      egress: [names, ...(egress.length === 0 ? [] : [{ to: egress.map((cidr) => ({ ipBlock: { cidr } })) }])],
    },
  };
}

export function resolverOf(text: string): object {
  const [, namespace, key, value] = /^([a-z0-9][-a-z0-9]*)\/([\w./-]+)=([\w.-]*)$/.exec(text) ?? [];
  if (namespace !== undefined && key !== undefined && value !== undefined) {
    return {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      podSelector: { matchLabels: { [key]: value } },
    };
  }
  if (isCidr(text)) return { ipBlock: { cidr: text } };
  throw new AppError(
    "usage.invalid",
    `--dns ${JSON.stringify(text)}: use NAMESPACE/KEY=VALUE, the label of its pods, or an address as CIDR`,
  );
}

export function isCidr(text: string): boolean {
  const [, address = "", bits = ""] = /^(.+)\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128);
}
