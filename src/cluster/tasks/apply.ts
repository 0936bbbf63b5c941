import { AppError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { hasStatus, isNotFound } from "../kube/error.ts";
import type { KubeObject } from "../kube/resource.ts";
import type { Cluster } from "./cluster.ts";
import { nameOf, resourceOf } from "./installation.ts";

const MANAGER = "cox-cli";
const PAUSE_MS = 200;

/** Server-side, so that what others have set besides stays. A kind is usable a moment after it was made. */
export async function applyAll(
  { client }: Cluster,
  manifests: readonly KubeObject[],
  tell: (text: string) => void,
): Promise<void> {
  for (const manifest of manifests) {
    try {
      // A namespace that is somebody's own is taken as it is.
      if (manifest.kind === "Namespace" && (await exists(client, manifest))) continue;
      await client.apply(resourceOf(manifest), manifest, { fieldManager: MANAGER });
    } catch (error) {
      if (!hasStatus(error, 403)) throw error;
      const message = `${nameOf(manifest)}: this account may not apply it; ask an administrator for \`cox k8s install\`, or use --namespaced-only when the kinds are there already`;
      throw new AppError("cluster.refused", message, {}, { cause: error });
    }
    tell(`${nameOf(manifest)} applied\n`);
  }
}

async function exists(client: Cluster["client"], manifest: KubeObject): Promise<boolean> {
  try {
    await client.get(resourceOf(manifest), undefined, manifest.metadata.name);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Last made, first deleted. What is gone already is as wished. */
export async function deleteAll(
  { client }: Cluster,
  manifests: readonly KubeObject[],
  tell: (text: string) => void,
): Promise<void> {
  for (const manifest of manifests.toReversed()) {
    try {
      await client.delete(resourceOf(manifest), manifest.metadata.namespace, manifest.metadata.name);
      tell(`${nameOf(manifest)} deleted\n`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

interface Rollout extends KubeObject {
  status?: {
    observedGeneration?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
    conditions?: { type: string; status: string; message?: string }[];
  };
  spec?: { replicas?: number };
}

/** Until the operator of this version is up. */
export async function rolledOut({ client }: Cluster, namespace: string, clock: Clock, limitMs: number): Promise<void> {
  const resource = { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments" } as const;
  const deadline = clock.monotonic() + limitMs;
  for (;;) {
    const { metadata, status = {}, spec = {} } = await client.get<Rollout>(resource, namespace, "coxswain-operator");
    const wanted = spec.replicas ?? 1;
    const isSeen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
    if (isSeen && (status.updatedReplicas ?? 0) >= wanted && (status.availableReplicas ?? 0) >= wanted) return;
    if (clock.monotonic() > deadline) {
      const why = status.conditions?.find(({ status: held }) => held === "False")?.message ?? "no pod of it is ready";
      const message = `the operator is installed, but not up after ${limitMs / 1000} s: ${why}; see \`kubectl -n ${namespace} describe pods\``;
      throw new AppError("timeout", message);
    }
    await clock.sleep(PAUSE_MS);
  }
}
