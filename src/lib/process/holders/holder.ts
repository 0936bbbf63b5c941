import type { Holder } from "../../files/holding/holder.ts";
import { bootId, isAlive, pidNamespace, startTimeOf } from "./identity.ts";

let self: Holder | undefined;

/** This process, as others will know it when it is gone. */
export function ourselves(): Holder {
  const { pid } = process;
  self ??= { pid, start: startTimeOf(pid) ?? "", boot: bootId(), namespace: pidNamespace() };
  return self;
}

/** Only processes of this machine and namespace can be judged, elsewhere a number means nothing: in doubt it is alive. */
export function isGone(holder: Holder): boolean {
  if (holder.namespace !== pidNamespace()) return false;
  return holder.boot !== bootId() || !isAlive(holder);
}

/** It is one that we see, and it lives: in doubt it doesn't. */
export function livesHere(holder: Holder): boolean {
  return holder.namespace === pidNamespace() && holder.boot === bootId() && isAlive(holder);
}

export function isOurselves({ pid, start, boot, namespace }: Holder): boolean {
  const own = ourselves();
  return pid === own.pid && start === own.start && boot === own.boot && namespace === own.namespace;
}
