import type { AgentConfigSpec } from "../../contract/resources/agent-config.ts";
import type { Task } from "../../contract/resources/task.ts";
import { mergeConfigs } from "../agent-config/merge.ts";
import type { Cache } from "../cache.ts";
import type { KubeClient } from "../kube/client.ts";
import { isNotFound } from "../kube/error.ts";
import { configMaps, type KubeObject, type Resource, secrets as secretKind } from "../kube/resource.ts";
import { configNames, type Found, secretNeeds } from "./references.ts";

/** Finds everything a Task names. Workspaces and AgentConfigs are in the cache; Secrets are asked for, and only their keys kept. */
export async function lookUp(client: KubeClient, cache: Cache, { metadata, spec }: Task): Promise<Found> {
  const namespace = metadata.namespace ?? "";
  const workspace = spec.workspaceRef && cache.workspaces.get(`${namespace}/${spec.workspaceRef.name}`)?.spec;
  const configs = new Map<string, AgentConfigSpec | undefined>(
    configNames(spec).map((name) => [name, cache.agentConfigs.get(`${namespace}/${name}`)?.spec]),
  );
  const merged = mergeConfigs([...configs.values()].filter((config) => config !== undefined));
  const names = new Set(secretNeeds(spec, workspace, merged).map(({ name }) => name));
  const secrets = new Map<string, readonly string[] | undefined>(
    await Promise.all(
      [...names].map(async (name): Promise<[string, readonly string[] | undefined]> => {
        const secret = await orNothing(client, secretKind, namespace, name);
        return [name, secret && Object.keys(secret.data ?? {})];
      }),
    ),
  );
  return { workspace, configs, secrets, configValues: await configValues(client, namespace, merged.mcpServers) };
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

export async function orNothing<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  namespace: string,
  name: string,
): Promise<T | undefined> {
  try {
    return await client.get(resource, namespace, name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
