import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { Cache, follow } from "./cache.ts";
import { Events } from "./events.ts";
import type { KubeClient } from "./kube/client.ts";
import { lead } from "./leader.ts";
import { type OperatorMetrics, operatorMetrics } from "./measure.ts";
import { policyKeeper } from "./network-policy.ts";
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
  let current: { cache: Cache; queue: KeyedQueue } | undefined;
  const metrics = operatorMetrics({
    queueDepth: () => current?.queue.depth ?? 0,
    tasks: () => current?.cache.tasks.size ?? 0,
    leading: () => current !== undefined,
  });

  const term = async (signal: AbortSignal): Promise<void> => {
    const cache = new Cache();
    const queue = new KeyedQueue(clock);
    const fenceNetwork = policyKeeper(client, options.egress);
    const events = new Events(client, clock, log);
    const around = { client, cache, clock, log, events, metrics, options, fenceNetwork };
    cache.look = (keys) => {
      for (const key of keys) queue.add(key);
    };
    const { ended } = await follow({ client, clock, log, namespace: options.namespace, cache, signal });
    if (signal.aborted) return ended;
    current = { cache, queue };
    log.info("watching", { namespace: options.namespace ?? "all namespaces", tasks: cache.tasks.size });
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
    await queue.run(options.workers, work, onError, signal);
    current = undefined;
    await ended;
  };

  return {
    metrics,
    leading: () => current !== undefined,
    run: (signal) => lead({ client, clock, log, ...election }, term, signal),
  };
}
