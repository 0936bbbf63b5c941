import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Log } from "../../../lib/base/log.ts";
import type { KubeClient } from "../../kube/client.ts";
import { Informer } from "../../kube/informer.ts";
import type { NetworkPolicy } from "../../kube/objects.ts";
import { networkPolicies } from "../../kube/resource.ts";
import { Store } from "../../kube/store.ts";
import { KeyedQueue } from "../queue.ts";
import { type Fence, networkPolicyOf, POLICY_NAME } from "./network-policy.ts";

/** Looks after the NetworkPolicy of one namespace. */
export interface FenceKeeper {
  /** The fence stands when this resolves. Asked before each Job: what was true a moment ago says nothing. */
  ensure: () => Promise<void>;
  /** Puts it back for the agents that run already, whenever it is changed or gone, until the signal aborts. */
  keep: (signal: AbortSignal) => Promise<void>;
}

export interface FenceSurroundings {
  client: KubeClient;
  clock: Clock;
  log: Log;
  namespace: string;
  /** Whether anybody is there to be fenced in; a namespace that is being deleted takes no policy. */
  isNeeded: () => boolean;
}

const PACE_MS = 1000;

export const noFence: FenceKeeper = { ensure: async () => {}, keep: async () => {} };

export function fenceKeeper(fence: Fence, { client, clock, log, namespace, isNeeded }: FenceSurroundings): FenceKeeper {
  const wanted = networkPolicyOf(namespace, fence);

  const ensure = async () => {
    const there = await client.apply(networkPolicies, wanted);
    if (stands(there, wanted)) return;
    throw new AppError(
      "cluster.refused",
      `NetworkPolicy ${namespace}/${POLICY_NAME}: something changes it as it is written, so agents would not be fenced in; find what does, or delete it`,
    );
  };

  const keep = async (signal: AbortSignal) => {
    const queue = new KeyedQueue(clock);
    const look = (key: string) => {
      if (key === `${namespace}/${POLICY_NAME}`) queue.add(key);
    };
    const store = new Store<NetworkPolicy>({});
    const trim = (policy: NetworkPolicy) => policy;
    const informer = new Informer({
      ...{ client, clock, log, namespace, store, trim, resource: networkPolicies },
      onChange: look,
    });
    const following = informer.run(signal);
    // It may have gone while nobody watched.
    void informer.synced.then(() => look(`${namespace}/${POLICY_NAME}`));
    const work = async (key: string) => {
      const known = store.get(key);
      if (!isNeeded() || (known !== undefined && stands(known, wanted))) return undefined;
      await ensure();
      log.warn("the fence of agents was changed or gone, and is put back", { policy: key });
      // Somebody who takes it down again and again is answered each time, not in a busy loop.
      await clock.sleep(PACE_MS, signal);
      return undefined;
    };
    const onError = (key: string, error: unknown) =>
      log.error("the fence of agents can't be put back, will be tried again", { policy: key, error });
    await queue.run(1, work, onError, signal);
    await following;
  };

  return { ensure, keep };
}

/** Whether a policy is the wanted one. An empty list and none are the same to the API server. */
export function stands({ spec }: NetworkPolicy, wanted: NetworkPolicy): boolean {
  const filled = ({ ingress, ...rest }: NetworkPolicy["spec"]) =>
    ingress === undefined || ingress.length === 0 ? rest : { ...rest, ingress };
  return isDeepStrictEqual(filled(spec), filled(wanted.spec));
}
