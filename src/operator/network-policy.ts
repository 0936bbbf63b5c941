import { FIELD_MANAGER, LABELS, MANAGED_BY } from "../contract/resources/names.ts";
import type { KubeClient } from "./kube/client.ts";
import type { NetworkPolicy } from "./kube/objects.ts";
import { networkPolicies } from "./kube/resource.ts";

/** Nobody reaches an agent; an agent reaches name service and what is listed. Kept by the cluster's network plugin. */
export function networkPolicyOf(namespace: string, egress: readonly string[]): NetworkPolicy {
  const dns = { ports: ["UDP", "TCP"].map((protocol) => ({ protocol, port: 53 })) };
  return {
    apiVersion: networkPolicies.apiVersion,
    kind: "NetworkPolicy",
    metadata: { name: "coxswain-agents", namespace, labels: { [LABELS.managedBy]: MANAGED_BY } },
    spec: {
      podSelector: { matchExpressions: [{ key: LABELS.task, operator: "Exists" }] },
      policyTypes: ["Ingress", "Egress"],
      egress: [dns, ...(egress.length === 0 ? [] : [{ to: egress.map((cidr) => ({ ipBlock: { cidr } })) }])],
    },
  };
}

/** Before the first Job in a namespace, once. */
export function policyKeeper(
  client: KubeClient,
  egress: readonly string[] | undefined,
): (namespace: string) => Promise<void> {
  const done = new Set<string>();
  return async (namespace) => {
    if (egress === undefined || done.has(namespace)) return;
    await client.apply(networkPolicies, networkPolicyOf(namespace, egress), { fieldManager: FIELD_MANAGER });
    done.add(namespace);
  };
}
