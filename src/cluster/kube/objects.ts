import type { ObjectMeta } from "../../contract/resources/object.ts";

/** Kubernetes' own objects, only as far as they are read or written here. */

interface Of<Kind extends string> {
  apiVersion: string;
  kind: Kind;
  metadata: ObjectMeta;
}

export interface JobCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export interface Job extends Of<"Job"> {
  spec: {
    suspend?: boolean;
    backoffLimit?: number;
    activeDeadlineSeconds?: number;
    podReplacementPolicy?: string;
    template: PodTemplate;
  };
  status?: {
    active?: number;
    succeeded?: number;
    failed?: number;
    terminating?: number;
    startTime?: string;
    completionTime?: string;
    conditions?: JobCondition[];
  };
}

export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: PodSpec;
}

export interface PodSpec {
  restartPolicy?: string;
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  terminationGracePeriodSeconds?: number;
  priorityClassName?: string;
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  tolerations?: object[];
  affinity?: object;
  imagePullSecrets?: { name: string }[];
  securityContext?: Record<string, unknown>;
  initContainers?: Container[];
  containers: Container[];
  volumes?: Volume[];
}

export interface Container {
  name: string;
  image: string;
  imagePullPolicy?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  env?: EnvEntry[];
  resources?: object;
  securityContext?: Record<string, unknown>;
  terminationMessagePolicy?: string;
  volumeMounts?: VolumeMount[];
}

export interface EnvEntry {
  name: string;
  value?: string;
  valueFrom?: object;
}

export interface VolumeMount {
  name: string;
  mountPath: string;
  subPath?: string;
  readOnly?: boolean;
}

export type Volume = { name: string } & Record<string, unknown>;

export interface ContainerStatus {
  name: string;
  state?: {
    waiting?: { reason?: string; message?: string };
    running?: { startedAt?: string };
    terminated?: TerminatedState;
  };
}

export interface TerminatedState {
  exitCode: number;
  signal?: number;
  reason?: string;
  message?: string;
  startedAt?: string | null;
  finishedAt?: string | null;
}

export interface Pod extends Of<"Pod"> {
  spec?: Partial<PodSpec>;
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    startTime?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    initContainerStatuses?: ContainerStatus[];
    containerStatuses?: ContainerStatus[];
  };
}

export interface Secret extends Of<"Secret"> {
  type?: string;
  data?: Record<string, string>;
}

export type PersistentVolumeClaim = Of<"PersistentVolumeClaim">;

export interface ConfigMap extends Of<"ConfigMap"> {
  data?: Record<string, string>;
}

export interface Lease extends Of<"Lease"> {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

export interface NetworkPolicy extends Of<"NetworkPolicy"> {
  spec: { podSelector: object; policyTypes: string[]; ingress?: object[]; egress?: object[] };
}

export interface EventObject extends Of<"Event"> {
  involvedObject: object;
  reason: string;
  message: string;
  type: "Normal" | "Warning";
  source?: object;
  firstTimestamp?: string;
  lastTimestamp?: string;
  count?: number;
  reportingComponent?: string;
  reportingInstance?: string;
}
