import type { AgentConfig } from "../../contract/resources/agent-config.ts";
import { GROUP, VERSION } from "../../contract/resources/names.ts";
import type { ObjectMeta } from "../../contract/resources/object.ts";
import type { Task } from "../../contract/resources/task.ts";
import type { Workspace } from "../../contract/resources/workspace.ts";
import type {
  ConfigMap,
  EventObject,
  Job,
  Lease,
  NetworkPolicy,
  PersistentVolumeClaim,
  Pod,
  Secret,
} from "./objects.ts";

/** Anything the API server stores. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** A kind, and where its objects are; `T` is what they look like. */
export interface Resource<T extends KubeObject = KubeObject> {
  readonly apiVersion: string;
  readonly kind: T["kind"];
  readonly plural: string;
  readonly clusterScoped?: boolean;
}

const custom = `${GROUP}/${VERSION}`;
const define = <T extends KubeObject>(apiVersion: string, kind: T["kind"], plural: string): Resource<T> => ({
  apiVersion,
  kind,
  plural,
});

export const tasks = define<Task>(custom, "Task", "tasks");
export const workspaces = define<Workspace>(custom, "Workspace", "workspaces");
export const agentConfigs = define<AgentConfig>(custom, "AgentConfig", "agentconfigs");
export const jobs = define<Job>("batch/v1", "Job", "jobs");
export const pods = define<Pod>("v1", "Pod", "pods");
export const secrets = define<Secret>("v1", "Secret", "secrets");
export const claims = define<PersistentVolumeClaim>("v1", "PersistentVolumeClaim", "persistentvolumeclaims");
export const configMaps = define<ConfigMap>("v1", "ConfigMap", "configmaps");
export const events = define<EventObject>("v1", "Event", "events");
export const leases = define<Lease>("coordination.k8s.io/v1", "Lease", "leases");
export const networkPolicies = define<NetworkPolicy>("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies");

/** `undefined` for the namespace means all of them. */
export function pathOf(
  { apiVersion, plural, clusterScoped }: Resource,
  namespace: string | undefined,
  ...rest: readonly string[]
): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = namespace === undefined || clusterScoped ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${scope}/${plural}${rest.map((part) => `/${encodeURIComponent(part)}`).join("")}`;
}

/** `namespace/name`, as everything is keyed. */
export const keyOf = ({ metadata }: { metadata: ObjectMeta }): string => `${metadata.namespace ?? ""}/${metadata.name}`;

export function splitKey(key: string): { namespace: string; name: string } {
  const at = key.indexOf("/");
  return { namespace: key.slice(0, at), name: key.slice(at + 1) };
}
