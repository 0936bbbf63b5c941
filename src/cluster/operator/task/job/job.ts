import { AGENT_UID, ENTRYPOINT, LABELS, MANAGED_BY, REPO_PATH } from "../../../../contract/resources/names.ts";
import type { OwnerReference } from "../../../../contract/resources/object.ts";
import type { Task } from "../../../../contract/resources/task.ts";
import type { Container, Job, PodSpec } from "../../../kube/objects.ts";
import { literal } from "../../workspace/checkout.ts";
import { agentEnvironment } from "./environment.ts";
import { initContainers } from "./init-containers.ts";
import { type JobInput, restricted } from "./job-input.ts";
import { jobNameOf } from "./names.ts";
import { agentMounts, SERVER_TOKEN_FILE, volumesOf } from "./volumes.ts";
import { wishedVariables } from "./wishes.ts";

/** The Job of one attempt, as the image interface says, in a pod that meets the restricted security profile. */
export function buildJob(input: JobInput): Job {
  const { task, attempt } = input;
  const { name, namespace } = task.metadata;
  const { spec } = task;
  const labels = {
    ...spec.podOverrides?.labels,
    [LABELS.task]: name,
    [LABELS.attempt]: String(attempt),
    [LABELS.managedBy]: MANAGED_BY,
  };
  const deadlines = [spec.timeoutSeconds, spec.podOverrides?.activeDeadlineSeconds].filter(
    (value) => value !== undefined,
  );
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: jobNameOf(name, attempt), namespace, labels, ownerReferences: [ownerOf(task)] },
    spec: {
      // Trying again is decided here, not by counting pods.
      backoffLimit: 0,
      // Never two agents of one Task at a time.
      podReplacementPolicy: "Failed",
      ...(deadlines.length > 0 ? { activeDeadlineSeconds: Math.min(...deadlines) } : {}),
      template: { metadata: { labels }, spec: podSpec(input) },
    },
  };
}

export function ownerOf({ apiVersion, kind, metadata }: Task): OwnerReference {
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: false,
  };
}

export const isOwnedBy = (object: { metadata: Job["metadata"] }, task: Task): boolean =>
  object.metadata.ownerReferences?.some(({ uid }) => uid === task.metadata.uid) === true;

function podSpec(input: JobInput): PodSpec {
  const overrides = input.task.spec.podOverrides ?? {};
  const { nodeSelector, tolerations, affinity, priorityClassName, imagePullSecrets, serviceAccountName } = overrides;
  const {
    runAsUser = AGENT_UID,
    runAsGroup = AGENT_UID,
    fsGroup = AGENT_UID,
    supplementalGroups,
  } = overrides.podSecurityContext ?? {};
  const init = initContainers(input);
  return {
    restartPolicy: "Never",
    // An account is asked for by name, or the pod has none to speak with.
    ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
    automountServiceAccountToken: serviceAccountName !== undefined,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: overrides.terminationGracePeriodSeconds ?? 30,
    ...defined({ nodeSelector, tolerations, affinity, priorityClassName, imagePullSecrets }),
    securityContext: {
      ...{ runAsNonRoot: true, runAsUser, runAsGroup, fsGroup, seccompProfile: { type: "RuntimeDefault" } },
      ...defined({ supplementalGroups }),
    },
    ...(init.length > 0 ? { initContainers: init } : {}),
    containers: [agentContainer(input)],
    volumes: volumesOf(input),
  };
}

function agentContainer(input: JobInput): Container {
  const { task, prompt, references, mcp, files, options } = input;
  const { name, namespace = "" } = task.metadata;
  const { spec } = task;
  const { workspace, workspaceSecret, config } = references;
  const told =
    files.prompt === undefined ? prompt : `Your task is in the file ${files.prompt}. Read it and do what it says.`;
  return {
    name: spec.type,
    image: spec.image ?? options.images[spec.type] ?? "",
    ...defined({ imagePullPolicy: options.imagePullPolicy }),
    command: [ENTRYPOINT],
    args: [literal(told)],
    ...(workspace === undefined ? {} : { workingDir: REPO_PATH }),
    env: agentEnvironment({
      ...{ name, namespace, spec, workspace, workspaceSecret },
      wished: wishedVariables(spec.podOverrides ?? {}, references.secrets),
      agentsMD: config.agentsMD,
      hasPlugins: config.plugins.length > 0,
      files,
      mcpJson: mcp?.json,
      server: options.server && { url: options.server.url, tokenFile: SERVER_TOKEN_FILE },
    }),
    resources: spec.podOverrides?.resources ?? options.resources,
    securityContext: {
      ...restricted,
      ...defined({ readOnlyRootFilesystem: spec.podOverrides?.containerSecurityContext?.readOnlyRootFilesystem }),
    },
    volumeMounts: agentMounts(input),
  };
}

function defined<T extends Record<string, unknown>>(fields: T): Partial<{ [K in keyof T]: Exclude<T[K], undefined> }> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
