/**
 * What the operator may do, and nothing else: no Secret is listed or written, no pod made, nothing
 * outside the namespaces it looks after, nothing of the cluster's.
 */
export interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

export const operatorRules: readonly PolicyRule[] = [
  { apiGroups: ["coxswain.dev"], resources: ["tasks"], verbs: ["get", "list", "watch", "delete"] },
  { apiGroups: ["coxswain.dev"], resources: ["tasks/status"], verbs: ["patch"] },
  { apiGroups: ["coxswain.dev"], resources: ["workspaces", "agentconfigs"], verbs: ["get", "list", "watch"] },
  { apiGroups: ["batch"], resources: ["jobs"], verbs: ["get", "list", "watch", "create", "patch"] },
  { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
  { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
  // Only to see whether a Secret, its mark and its key are there before a Job is made; values are dropped at once.
  { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
  // For the same mark on what a Task would mount.
  { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["get"] },
  { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "patch"] },
  { apiGroups: [""], resources: ["events"], verbs: ["create"] },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
];

/** Only where agents' network is fenced in; watched, so that a fence that is taken down is put up again. */
export const networkRules: readonly PolicyRule[] = [
  {
    apiGroups: ["networking.k8s.io"],
    resources: ["networkpolicies"],
    verbs: ["get", "list", "watch", "create", "patch"],
  },
];

/** For people: in the aggregated roles every cluster has. */
export const userRules: Readonly<Record<"view" | "edit", readonly PolicyRule[]>> = {
  view: [
    {
      apiGroups: ["coxswain.dev"],
      resources: ["tasks", "workspaces", "agentconfigs"],
      verbs: ["get", "list", "watch"],
    },
  ],
  edit: [
    {
      apiGroups: ["coxswain.dev"],
      resources: ["tasks", "workspaces", "agentconfigs"],
      verbs: ["create", "update", "patch", "delete", "deletecollection"],
    },
  ],
};
