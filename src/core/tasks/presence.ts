import { bootId, isAlive, pidNamespace, startTimeOf } from "../../lib/process/holders/identity.ts";
import type { HostIdentity } from "../store/runs/claims.ts";

/** This process, as others will know it when it is gone. */
export function ownIdentity(): HostIdentity {
  return { pid: process.pid, start: startTimeOf(process.pid) ?? "", boot: bootId(), namespace: pidNamespace() };
}

/** Only processes of this machine can be judged: elsewhere a number means nothing. */
export function isGone(other: HostIdentity): boolean {
  if (other.namespace !== pidNamespace()) return false;
  return other.boot !== bootId() || !isAlive(other);
}
