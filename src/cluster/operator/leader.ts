import type { Clock } from "../../lib/base/clock.ts";
import type { Log } from "../../lib/base/log.ts";
import type { KubeClient } from "../kube/client.ts";
import { isConflict, isNotFound } from "../kube/error.ts";
import type { Lease } from "../kube/objects.ts";
import { leases } from "../kube/resource.ts";

export interface ElectionOptions {
  client: KubeClient;
  clock: Clock;
  log: Log;
  namespace: string;
  name: string;
  /** Who we are; no two processes say the same. */
  identity: string;
  /** After this long without a sign of life somebody else may take over. */
  leaseMs?: number;
  renewMs?: number;
}

const LEASE_MS = 15_000;
const RENEW_MS = 3000;

/**
 * Leads while it holds the Lease, one term after the other, until the signal aborts. A term is over for us well before
 * anybody else may begin one: we stop at two thirds of the lease. On a clean end the Lease is given up, so that the next
 * one need not wait.
 */
export async function lead(
  options: ElectionOptions,
  term: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, identity, renewMs = RENEW_MS } = options;
  const seen: Seen = {};
  while (!signal.aborted) {
    const lease = await acquire(options, seen).catch((error: unknown) => {
      log.warn("lease not reachable", { error });
      return undefined;
    });
    if (lease === undefined) {
      await clock.sleep(renewMs, signal);
      continue;
    }
    log.info("leading", { identity });
    const over = new AbortController();
    const both = AbortSignal.any([signal, over.signal]);
    const renewing = renew(options, lease, over, signal);
    try {
      await term(both);
    } finally {
      const lost = over.signal.aborted;
      over.abort();
      const last = await renewing;
      if (!lost) await release(options, last ?? lease, log);
      log.info("not leading", { identity });
    }
  }
}

/** What others' Lease looked like and since when, by our own clock: theirs may be wrong. */
interface Seen {
  version?: string;
  since?: number;
}

async function acquire(options: ElectionOptions, seen: Seen): Promise<Lease | undefined> {
  const { client, clock, namespace, name, identity, leaseMs = LEASE_MS } = options;
  const lease = await client.get(leases, namespace, name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (lease === undefined) {
    const fresh: Lease = {
      apiVersion: leases.apiVersion,
      kind: "Lease",
      metadata: { name, namespace },
      spec: held(options, 0),
    };
    return client.create(leases, fresh).catch(lostRace);
  }
  const holder = lease.spec?.holderIdentity ?? "";
  const version = lease.metadata.resourceVersion;
  if (seen.version !== version) Object.assign(seen, { version, since: clock.monotonic() });
  const expired = clock.monotonic() - (seen.since ?? 0) > leaseMs;
  if (holder !== "" && holder !== identity && !expired) return undefined;
  const transitions = (lease.spec?.leaseTransitions ?? 0) + (holder === identity ? 0 : 1);
  return client.replace(leases, { ...lease, spec: held(options, transitions) }).catch(lostRace);
}

function lostRace(error: unknown): undefined {
  if (isConflict(error)) return undefined;
  throw error;
}

function held({ clock, identity, leaseMs = LEASE_MS }: ElectionOptions, leaseTransitions: number): Lease["spec"] {
  const now = new Date(clock.now()).toISOString().replace("Z", "000Z");
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    acquireTime: now,
    renewTime: now,
    leaseTransitions,
  };
}

/** Renews until told to stop; ends the term itself when the Lease is lost. Returns the Lease if it is still ours. */
async function renew(
  options: ElectionOptions,
  first: Lease,
  over: AbortController,
  signal: AbortSignal,
): Promise<Lease | undefined> {
  const { clock, log, leaseMs = LEASE_MS, renewMs = RENEW_MS } = options;
  const stopped = AbortSignal.any([over.signal, signal]);
  const loseAfter = () => clock.after((leaseMs * 2) / 3, () => over.abort());
  let lease = first;
  let forget = loseAfter();
  for (;;) {
    await clock.sleep(renewMs, stopped);
    if (signal.aborted) break;
    if (over.signal.aborted) return undefined;
    const fresh = loseAfter(); // counted from before the request: the API server may have taken it early and answered late
    try {
      lease = await renewed(options, lease);
      forget();
      forget = fresh;
    } catch (error) {
      fresh();
      if (signal.aborted) break;
      log.warn("lease not renewed", { error });
      if (error instanceof Lost) over.abort();
    }
  }
  forget();
  return lease;
}

class Lost extends Error {}

/** A renewal that was not heard of may have been done all the same: then the Lease is a newer one, and still ours. */
async function renewed(options: ElectionOptions, lease: Lease): Promise<Lease> {
  const { client, clock, namespace, name, identity, leaseMs = LEASE_MS } = options;
  const replace = ({ metadata, spec, ...rest }: Lease) => {
    const renewTime = new Date(clock.now()).toISOString().replace("Z", "000Z");
    return client.replace(leases, { ...rest, metadata, spec: { ...spec, renewTime } }, leaseMs / 3);
  };
  try {
    return await replace(lease);
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
    const now = await client.get(leases, namespace, name).catch((cause: unknown) => {
      throw isNotFound(cause) ? new Lost("the Lease is gone") : cause;
    });
    if (now.spec?.holderIdentity !== identity) throw new Lost(`the Lease is held by ${now.spec?.holderIdentity}`);
    return replace(now);
  }
}

async function release({ client }: ElectionOptions, lease: Lease | undefined, log: Log): Promise<void> {
  if (lease === undefined) return;
  await client
    .replace(leases, { ...lease, spec: { ...lease.spec, holderIdentity: "" } })
    .catch((error: unknown) => log.warn("lease not given up", { error }));
}
