import { WORKSPACE_MOUNT } from "../../../../contract/resources/names.ts";
import type { Task } from "../../../../contract/resources/task.ts";
import type { VolumeMount } from "../../../kube/objects.ts";
import type { McpPlan } from "../../agent-config/mcp.ts";
import type { OperatorOptions } from "../../options.ts";
import type { References } from "../references.ts";
import type { TaskFiles } from "./files.ts";

/** All that a Job is made of. */
export interface JobInput {
  task: Task;
  attempt: number;
  prompt: string;
  references: References;
  mcp: McpPlan | undefined;
  files: TaskFiles;
  options: OperatorOptions;
}

/** Of every container, so that the pod meets the restricted security profile. */
export const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };

export const workspaceMount: VolumeMount = { name: "workspace", mountPath: WORKSPACE_MOUNT };
