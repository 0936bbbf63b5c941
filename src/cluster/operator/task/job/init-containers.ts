import { PLUGIN_DIR } from "../../../../contract/resources/names.ts";
import type { Container, VolumeMount } from "../../../kube/objects.ts";
import { CHECKOUT_SCRIPT, checkoutVariables, FILES_DIR } from "../../workspace/checkout.ts";
import { type JobInput, restricted, workspaceMount } from "./job-input.ts";
import { credentialMounts, PLUGIN_SOURCE_DIR, volumeNames } from "./volumes.ts";

/** Copied, not mounted: agents write into their plugins, and the links of a ConfigMap's folder confuse them. */
const PLUGIN_SCRIPT = `set -eu
cd ${PLUGIN_SOURCE_DIR}
for plugin in *; do cp -RL "$plugin" "${PLUGIN_DIR}/$plugin"; done
`;

/** What is done before the agent starts, by the operator's own image and under the agent's user. */
export function initContainers(input: JobInput): Container[] {
  const { task, references, files } = input;
  const { workspace, workspaceSecret } = references;
  const containers: Container[] = [];
  if (workspace !== undefined) {
    const mounts = [workspaceMount, ...credentialMounts(input)];
    if (files.workspaceFiles.length > 0) mounts.push({ name: volumeNames.files, mountPath: FILES_DIR, readOnly: true });
    const env = checkoutVariables(workspace, task.spec.branch, workspaceSecret);
    containers.push({ ...script(input, "git-clone", CHECKOUT_SCRIPT, mounts), env });
  }
  if (files.plugins.length > 0) {
    const mounts = [
      { name: volumeNames.plugin, mountPath: PLUGIN_DIR },
      { name: volumeNames.pluginSource, mountPath: PLUGIN_SOURCE_DIR, readOnly: true },
    ];
    containers.push(script(input, "plugin-setup", PLUGIN_SCRIPT, mounts));
  }
  return containers;
}

function script({ options }: JobInput, name: string, text: string, volumeMounts: VolumeMount[]): Container {
  return {
    name,
    image: options.initImage,
    ...(options.imagePullPolicy === undefined ? {} : { imagePullPolicy: options.imagePullPolicy }),
    command: ["sh", "-c", text.replaceAll("$(", "$$$$(")],
    resources: { requests: { cpu: "50m", memory: "64Mi" }, limits: { memory: "1Gi" } },
    securityContext: restricted,
    // Why it failed is then in the pod's status.
    terminationMessagePolicy: "FallbackToLogsOnError",
    volumeMounts,
  };
}
