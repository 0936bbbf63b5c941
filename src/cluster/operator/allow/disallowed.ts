import { isBundledAgentType } from "../../../contract/resources/agent-types.ts";
import type { TaskSpec } from "../../../contract/resources/task.ts";
import type { Problem } from "../task/plan/view.ts";
import { isAllowedImage } from "./images.ts";
import { isAllowedToleration, tolerationText } from "./tolerations.ts";

/** What whoever installs the operator lets Tasks name. */
export interface Allowed {
  /** By whole path segments; undefined: any image. */
  allowedImages?: readonly string[] | undefined;
  allowedServiceAccounts?: readonly string[];
  allowedPriorityClasses?: readonly string[];
  /** Keys. Services and NetworkPolicies choose pods by their labels: with the right one a pod gets what is meant for others. */
  allowedLabels?: readonly string[];
  /** Taints, as `KEY` or `KEY=VALUE`. */
  allowedTolerations?: readonly string[];
}

/** What a Task asks for and may not have here. The API server says the same where the installation's admission policy is. */
export function disallowed(spec: TaskSpec, allowed: Allowed & { images: Readonly<Record<string, string>> }): Problem[] {
  const problems: Problem[] = [];
  const refuse = (field: string, what: string, option: string, list: readonly string[] = []) =>
    problems.push({
      reason: "NotAllowed",
      message: `${field}: ${what} is not allowed here (allowed: ${list.join(", ") || "none"}); ask whoever runs the operator for ${option}`,
      denied: true,
    });
  const {
    allowedImages,
    allowedServiceAccounts,
    allowedPriorityClasses,
    allowedTolerations = [],
    allowedLabels = [],
  } = allowed;
  if (spec.image === undefined && allowed.images[spec.type] === undefined) {
    const known = isBundledAgentType(spec.type) ? "the operator was started without one" : "give it one in spec.image";
    const message = `there is no image for agent type ${spec.type}: ${known}`;
    problems.push({ reason: "ImageUnknown", message, denied: true });
  }
  if (spec.image !== undefined && allowedImages !== undefined && !isAllowedImage(spec.image, allowedImages)) {
    refuse("spec.image", spec.image, "--allow-image", allowedImages);
  }
  const { serviceAccountName, priorityClassName, tolerations = [], labels = {} } = spec.podOverrides ?? {};
  if (serviceAccountName !== undefined && !allowedServiceAccounts?.includes(serviceAccountName)) {
    const field = "spec.podOverrides.serviceAccountName";
    refuse(field, serviceAccountName, "--allow-service-account", allowedServiceAccounts);
  }
  if (priorityClassName !== undefined && !allowedPriorityClasses?.includes(priorityClassName)) {
    const field = "spec.podOverrides.priorityClassName";
    refuse(field, priorityClassName, "--allow-priority-class", allowedPriorityClasses);
  }
  for (const toleration of tolerations.filter((one) => !isAllowedToleration(one, allowedTolerations))) {
    const field = "spec.podOverrides.tolerations";
    refuse(field, tolerationText(toleration), "--allow-toleration", allowedTolerations);
  }
  for (const key of Object.keys(labels).filter((label) => !allowedLabels.includes(label))) {
    refuse("spec.podOverrides.labels", key, "--allow-label", allowedLabels);
  }
  return problems;
}
