import type { AgentConfigSpec } from "../../../contract/resources/agent-config.ts";
import { LABELS } from "../../../contract/resources/names.ts";
import type { Task } from "../../../contract/resources/task.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isNotFound } from "../../kube/error.ts";
import {
  claims as claimKind,
  configMaps,
  type KubeObject,
  type Resource,
  secrets as secretKind,
} from "../../kube/resource.ts";
import { mergeConfigs } from "../agent-config/merge.ts";
import type { Cache } from "../cache.ts";
import { claimNeeds, type Need, secretNeeds } from "./needs.ts";
import { configNames, type Found } from "./references.ts";

/** Finds everything a Task names. Workspaces and AgentConfigs are in the cache; Secrets are asked for, and only their keys kept. */
export async function findReferences(client: KubeClient, cache: Cache, { metadata, spec }: Task): Promise<Found> {
  const namespace = metadata.namespace ?? "";
  const workspace = spec.workspaceRef && cache.workspaces.get(`${namespace}/${spec.workspaceRef.name}`)?.spec;
  const configs = new Map<string, AgentConfigSpec | undefined>(
    configNames(spec).map((name) => [name, cache.agentConfigs.get(`${namespace}/${name}`)?.spec]),
  );
  const merged = mergeConfigs([...configs.values()].filter((config) => config !== undefined));
  const secrets = await each(secretNeeds(spec, workspace, merged), async (name) => {
    const secret = await orNothing(client, secretKind, namespace, name);
    return secret && { keys: Object.keys(secret.data ?? {}), usable: isUsable(secret) };
  });
  const claims = await each(claimNeeds(spec), async (name) => {
    const claim = await orNothing(client, claimKind, namespace, name);
    return claim && { usable: isUsable(claim) };
  });
  return {
    workspace,
    configs,
    secrets,
    claims,
    configValues: await configValues(client, namespace, merged.mcpServers),
  };
}

const isUsable = ({ metadata }: KubeObject): boolean => metadata.labels?.[LABELS.usable] === "true";

async function each<T>(needs: readonly Need[], find: (name: string) => Promise<T>): Promise<Map<string, T>> {
  const names = [...new Set(needs.map(({ name }) => name))];
  return new Map(await Promise.all(names.map(async (name): Promise<[string, T]> => [name, await find(name)])));
}

async function configValues(
  client: KubeClient,
  namespace: string,
  servers: ReturnType<typeof mergeConfigs>["mcpServers"],
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  const names = new Set(
    servers.flatMap(({ env }) => (env ?? []).flatMap(({ valueFrom }) => valueFrom?.configMapKeyRef?.name ?? [])),
  );
  for (const name of names) {
    const map = await orNothing(client, configMaps, namespace, name);
    for (const [key, value] of Object.entries(map?.data ?? {})) values.set(`${name}/${key}`, value);
  }
  return values;
}

/** What the API server could have stored. Anything else would be another address: `..` is a folder of it. */
const isObjectName = (name: string): boolean => /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) && !name.includes("..");

export async function orNothing<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  namespace: string,
  name: string,
): Promise<T | undefined> {
  if (!isObjectName(name)) return undefined;
  try {
    return await client.get(resource, namespace, name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
