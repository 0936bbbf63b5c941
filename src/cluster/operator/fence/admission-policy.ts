import { GROUP, VERSION } from "../../../contract/resources/names.ts";
import { imageExpression } from "../allow/images.ts";
import { tolerationExpression } from "../allow/tolerations.ts";
import { type InstallOptions, namespacesOf } from "../manifests.ts";

/**
 * What this installation allows Tasks to name, said by the API server itself when a Task is created. The operator refuses the
 * same, for clusters where nobody may install this. Whether a Secret is marked can't be seen from here: that it looks at alone.
 */
export function admissionPolicy(options: InstallOptions) {
  const name = `coxswain-tasks.${options.namespace}`;
  const admission = "admissionregistration.k8s.io/v1";
  const inNamespaces = { key: "kubernetes.io/metadata.name", operator: "In", values: namespacesOf(options) };
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
        validations: validations(options),
      },
    },
    {
      apiVersion: admission,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: {
        policyName: name,
        validationActions: ["Deny"],
        matchResources: { namespaceSelector: { matchExpressions: [inNamespaces] } },
      },
    },
  ];
}

function validations(options: InstallOptions): { expression: string; message: string }[] {
  const {
    allowedImages,
    allowedServiceAccounts,
    allowedPriorityClasses,
    allowedTolerations = [],
    allowedLabels,
  } = options;
  const listed = (list: readonly string[] = []) => list.join(", ") || "none";
  /** Not asked for, or one of these. */
  const oneOf = (field: string, list: readonly string[] = []) => ({
    expression: unless(field, `object.spec.podOverrides.${field} in ${JSON.stringify(list)}`),
    message: `podOverrides.${field}: allowed here: ${listed(list)}`,
  });
  const unless = (field: string, rule: string) =>
    `!has(object.spec.podOverrides) || !has(object.spec.podOverrides.${field}) || ${rule}`;
  const images = allowedImages && {
    expression: `!has(object.spec.image) || ${imageExpression(allowedImages, "object.spec.image")}`,
    message: `image: allowed here: ${listed(allowedImages)}`,
  };
  return [
    oneOf("serviceAccountName", allowedServiceAccounts),
    oneOf("priorityClassName", allowedPriorityClasses),
    {
      expression: unless(
        "tolerations",
        `object.spec.podOverrides.tolerations.all(t, ${tolerationExpression(allowedTolerations, "t")})`,
      ),
      message: `podOverrides.tolerations: allowed here: ${listed(allowedTolerations)}`,
    },
    {
      expression: unless(
        "labels",
        `object.spec.podOverrides.labels.all(key, key in ${JSON.stringify(allowedLabels ?? [])})`,
      ),
      message: `podOverrides.labels: allowed here: ${listed(allowedLabels)}`,
    },
    ...(images ? [images] : []),
  ];
}
