import { setMaxListeners } from "node:events";
import type { Clock } from "../../lib/base/clock.ts";
import type { Log } from "../../lib/base/log.ts";
import type { KubeClient } from "../kube/client.ts";
import { Cache, follow } from "./cache.ts";
import { Events } from "./events.ts";
import { fenceKeeper, noFence } from "./fence/fence-keeper.ts";
import { lead } from "./leader.ts";
import { type OperatorMetrics, operatorMetrics } from "./measure.ts";
import type { OperatorOptions } from "./options.ts";
import { KeyedQueue } from "./queue.ts";
import { reconcileTask } from "./task/reconcile.ts";

export interface OperatorDependencies {
  client: KubeClient;
  clock: Clock;
  log: Log;
  options: OperatorOptions;
  /** Where the Lease is, and as whom it is held. */
  election: { namespace: string; name: string; identity: string; leaseMs?: number; renewMs?: number };
}

export interface Operator {
  metrics: OperatorMetrics;
  /** Whether it leads and knows the cluster; one that stands by is healthy too. */
  leading(): boolean;
  /** Until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Wires cache, queue and reconcile together, one term at a time: what a former term knew is not trusted. */
export function createOperator({ client, clock, log, options, election }: OperatorDependencies): Operator {
  /** By namespace: those whose objects are known. */
  const known = new Map<string, { cache: Cache; queue: KeyedQueue }>();
  const sum = (count: (of: { cache: Cache; queue: KeyedQueue }) => number) =>
    [...known.values()].reduce((total, of) => total + count(of), 0);
  const metrics = operatorMetrics({
    queueDepth: () => sum(({ queue }) => queue.depth),
    tasks: () => sum(({ cache }) => cache.tasks.size),
    leading: () => known.size > 0,
  });

  /** Each namespace by itself: one whose rights were taken away, or that is gone, holds up no other. */
  const term = async (namespace: string, signal: AbortSignal): Promise<void> => {
    const cache = new Cache();
    const queue = new KeyedQueue(clock);
    const isNeeded = () => cache.tasks.size + cache.pods.size > 0;
    const fence =
      options.fence === undefined ? noFence : fenceKeeper(options.fence, { client, clock, log, namespace, isNeeded });
    const events = new Events(client, clock, log);
    const around = { client, cache, clock, log, events, metrics, options, fence };
    cache.look = (keys) => {
      for (const key of keys) queue.add(key);
    };
    const { ended } = await follow({ client, clock, log, namespace, cache, signal });
    if (signal.aborted) return ended;
    known.set(namespace, { cache, queue });
    log.info("watching", { namespace, tasks: cache.tasks.size });
    const work = async (key: string, waitedMs: number) => {
      metrics.waited.observe(waitedMs / 1000);
      const began = clock.monotonic();
      try {
        return await reconcileTask(key, around);
      } finally {
        metrics.worked.observe((clock.monotonic() - began) / 1000);
      }
    };
    const onError = (key: string, error: unknown) => {
      metrics.errors.add();
      log.warn("reconcile failed, will be tried again", { key, error });
    };
    const fenced = fence.keep(signal);
    await queue.run(options.workers, work, onError, signal);
    known.delete(namespace);
    await fenced;
    await ended;
  };

  const terms = async (signal: AbortSignal) => {
    // Each watch and queue listens to it: that many are no leak.
    setMaxListeners(0, signal);
    await Promise.all(options.namespaces.map((namespace) => term(namespace, signal)));
  };

  return {
    metrics,
    leading: () => known.size > 0,
    run: (signal) => lead({ client, clock, log, ...election }, terms, signal),
  };
}
