import { homedir } from "node:os";
import { AppError } from "../../contract/errors.ts";
import { GROUP } from "../../contract/resources/names.ts";
import type { Context, OptionSpec } from "../../lib/command/command.ts";
import { type ClusterAccess, findAccess } from "../kube/access.ts";
import { KubeClient } from "../kube/client.ts";
import { runCredentialPlugin } from "../kube/credential-plugin.ts";
import { isNotFound } from "../kube/error.ts";

/** What every command that speaks to a cluster takes. */
export const clusterOptions = {
  namespace: { short: "n", value: "NAME", help: "the namespace; default: that of the kubeconfig's context" },
  kubeconfig: { value: "FILE", help: "in place of KUBECONFIG and ~/.kube/config" },
  context: { value: "NAME", help: "which of its contexts" },
} as const satisfies Record<string, OptionSpec>;

export interface ClusterValues {
  namespace?: string;
  kubeconfig?: string;
  context?: string;
}

export interface Cluster {
  client: KubeClient;
  namespace: string;
}

/** Connects, does it, and leaves no connection behind. */
export async function withCluster<T>(
  values: ClusterValues,
  context: Context,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const access = await clusterAccess(values, context.env);
  const client = new KubeClient(access);
  try {
    return await work({ client, namespace: values.namespace ?? access.namespace });
  } finally {
    client.close();
  }
}

/** By options, else as kubectl would. */
export function clusterAccess({ kubeconfig, context }: ClusterValues, env: NodeJS.ProcessEnv): Promise<ClusterAccess> {
  return findAccess({ env, kubeconfig, context, runPlugin: runCredentialPlugin({ cwd: homedir() }) });
}

/** Says what a 404 means: there is no such thing, or nobody here knows what it would be. */
export async function found<T>(what: string, { client, namespace }: Cluster, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await requireInstalled(client);
    const message = `${what}: there is none in namespace ${namespace}; see \`cox k8s get -A\``;
    throw new AppError("task.not_found", message, {}, { cause: error });
  }
}

export async function requireInstalled(client: KubeClient): Promise<void> {
  const { groups } = await client.request<{ groups: { name: string }[] }>("GET", "/apis");
  if (groups.some(({ name }) => name === GROUP)) return;
  throw new AppError("cluster.refused", `the cluster doesn't know ${GROUP}; install it with \`cox k8s install\``);
}
