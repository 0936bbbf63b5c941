import { bootId, isAlive, pidNamespace, startTimeOf } from "./identity.ts";

/** A process that holds something, as a file says it that may outlive the process. */
export interface Holder {
  pid: number;
  start: string;
  boot: string;
  namespace: string;
}

export function ourselves(): Holder {
  return { pid: process.pid, start: startTimeOf(process.pid) ?? "", boot: bootId(), namespace: pidNamespace() };
}

/** Only processes of this machine and namespace can be judged: in doubt it is alive. */
export function isGone(holder: Holder): boolean {
  if (holder.namespace !== pidNamespace()) return false;
  return holder.boot !== bootId() || !isAlive(holder);
}
