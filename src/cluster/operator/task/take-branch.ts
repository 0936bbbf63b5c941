import { isFinalPhase, type Task } from "../../../contract/resources/task.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isConflict } from "../../kube/error.ts";
import type { Lease } from "../../kube/objects.ts";
import { leases } from "../../kube/resource.ts";
import type { Cache } from "../cache.ts";
import { orNothing } from "./find-references.ts";
import { ownerOf } from "./job/job.ts";
import { lockNameOf } from "./job/names.ts";

/**
 * The branch lock lives in the cluster, as a Lease that belongs to whoever holds it. It needs no release: a holder that has
 * ended or is gone holds nothing, and the Lease goes with its Task.
 */
export async function takeBranch(client: KubeClient, cache: Cache, task: Task): Promise<"held" | { by: string }> {
  const { namespace = "", uid = "", name: taskName } = task.metadata;
  const name = lockNameOf(task.spec.workspaceRef?.name ?? "", task.spec.branch ?? "");
  const spec = { holderIdentity: `${taskName}/${uid}` };
  const fresh: Lease = {
    apiVersion: leases.apiVersion,
    kind: "Lease",
    metadata: { name, namespace, ownerReferences: [ownerOf(task)] },
    spec,
  };
  const lease = (await created(client, fresh)) ?? (await orNothing(client, leases, namespace, name));
  // It went with its Task in this very moment: once more, then it is ours.
  if (lease === undefined) return takeBranch(client, cache, task);
  const [holder = "", holderUid] = (lease.spec?.holderIdentity ?? "").split("/");
  if (holderUid === uid) return "held";
  const other = cache.tasks.get(`${namespace}/${holder}`);
  const holds = other?.metadata.uid === holderUid && !isFinalPhase(other?.status?.phase);
  if (holds) return { by: holder };
  try {
    await client.replace(leases, { ...lease, metadata: { ...lease.metadata, ownerReferences: [ownerOf(task)] }, spec });
    return "held";
  } catch (error) {
    if (isConflict(error)) return { by: "another that was quicker" };
    throw error;
  }
}

async function created(client: KubeClient, lease: Lease): Promise<Lease | undefined> {
  try {
    return await client.create(leases, lease);
  } catch (error) {
    if (isConflict(error)) return undefined;
    throw error;
  }
}
