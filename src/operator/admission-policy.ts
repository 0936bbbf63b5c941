import { GROUP, VERSION } from "../contract/resources/names.ts";
import type { InstallOptions } from "./manifests.ts";

/**
 * What this installation allows Tasks to name, said by the API server itself when a Task is created. The operator refuses the
 * same, for clusters where nobody may install this.
 */
export function admissionPolicy({
  namespace,
  clusterWide,
  allowedImages,
  allowedServiceAccounts = [],
}: InstallOptions) {
  const name = clusterWide ? "coxswain-tasks" : `coxswain-tasks.${namespace}`;
  const text = (value: string) => JSON.stringify(value);
  const accounts = {
    expression: `!has(object.spec.podOverrides) || !has(object.spec.podOverrides.serviceAccountName) || object.spec.podOverrides.serviceAccountName in [${allowedServiceAccounts.map(text).join(", ")}]`,
    message: `podOverrides.serviceAccountName: allowed here: ${allowedServiceAccounts.join(", ") || "none"}`,
  };
  const images = allowedImages && {
    expression: `!has(object.spec.image) || [${allowedImages.map(text).join(", ")}].exists(prefix, object.spec.image.startsWith(prefix))`,
    message: `image: allowed here are images that begin with ${allowedImages.join(", ")}`,
  };
  const admission = "admissionregistration.k8s.io/v1";
  return [
    {
      apiVersion: admission,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [{ apiGroups: [GROUP], apiVersions: [VERSION], operations: ["CREATE"], resources: ["tasks"] }],
        },
        validations: [accounts, ...(images ? [images] : [])],
      },
    },
    {
      apiVersion: admission,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: {
        policyName: name,
        validationActions: ["Deny"],
        ...(clusterWide
          ? {}
          : { matchResources: { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } } }),
      },
    },
  ];
}
