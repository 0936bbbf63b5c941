import { randomBytes } from "node:crypto";
import { MANAGED_BY } from "../../contract/resources/names.ts";
import type { Task } from "../../contract/resources/task.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Log } from "../../lib/base/log.ts";
import type { KubeClient } from "../kube/client.ts";
import { events } from "../kube/resource.ts";
import { timestamp } from "./task/plan/conditions.ts";

/** Beyond this many on their way, events are dropped: they are news for people, the status is the truth. */
const MAX_OPEN = 256;

/** What `kubectl describe` shows. Nobody waits for it. */
export class Events {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #log: Log;
  #open = 0;

  constructor(client: KubeClient, clock: Clock, log: Log) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
  }

  tell({ apiVersion, kind, metadata }: Task, type: "Normal" | "Warning", reason: string, message: string): void {
    if (this.#open >= MAX_OPEN) return;
    this.#open += 1;
    const now = timestamp(this.#clock.now());
    const { namespace, name, uid, resourceVersion } = metadata;
    void this.#client
      .create(events, {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: `${name}.${randomBytes(8).toString("hex")}`, namespace },
        involvedObject: { apiVersion, kind, namespace, name, uid, resourceVersion },
        ...{ reason, message: message.slice(0, 1024), type, count: 1 },
        ...{
          firstTimestamp: now,
          lastTimestamp: now,
          source: { component: MANAGED_BY },
          reportingComponent: MANAGED_BY,
        },
      })
      .catch((error: unknown) => this.#log.debug("event not written", { error }))
      .finally(() => {
        this.#open -= 1;
      });
  }
}
