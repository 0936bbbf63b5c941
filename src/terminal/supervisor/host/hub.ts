import { AppError, messageOf } from "../../../contract/errors.ts";
import { type Backoff, backoffMs } from "../../../lib/base/backoff.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Log } from "../../../lib/base/log.ts";
import { call, isOk } from "../../../lib/client/call.ts";
import { OUR_PACE, type Settings } from "../settings.ts";
import type { Status } from "../status/status.ts";

export interface Registration {
  url: string;
  id: string;
  /** Of the terminal host, for the hub to reach it with. Never the hub's own. */
  auth_token: string;
  metadata: Readonly<Record<string, unknown>>;
}

/** What the hub shows of us; the phase changes, and the next heartbeat tells it. */
export function registrationFor(
  settings: Settings,
  token: string,
  status: Pick<Status, "phase" | "reauthNeeded">,
): Registration {
  const { hostname, podIp, port, role, agent, project } = settings;
  const supervisor = status.reauthNeeded ? "reauth-needed" : status.phase.phase;
  return {
    url: `http://${podIp}:${port}`,
    id: hostname,
    auth_token: token,
    metadata: { role, agent, ...(project === "" ? {} : { project }), supervisor, k8s: { pod: hostname, ip: podIp } },
  };
}

const EVERY_MS = 30_000;
const TIMEOUT_MS = 10_000;
const BACKOFF: Backoff = { base: 1000, factor: 2, cap: EVERY_MS };

interface HubOptions {
  hub: NonNullable<Settings["hub"]>;
  clock: Clock;
  log: Log;
  /** As it is now: the state changes, and a heartbeat tells it. */
  registration(): Registration;
  onBeat(ok: boolean): void;
}

/** Registered, and again every half minute, so that a hub that was restarted or lost us knows us soon. */
export async function stayRegistered(
  { hub, clock, log, registration, onBeat }: HubOptions,
  signal: AbortSignal,
): Promise<void> {
  let failures = -1; // the first success is news, too
  while (!signal.aborted) {
    const problem = await register(hub, registration(), signal);
    if (signal.aborted) return;
    onBeat(problem === undefined);
    if (problem === undefined) {
      if (failures !== 0) log.info("registered with the hub");
      failures = 0;
    } else {
      failures = Math.max(failures, 0) + 1;
      if (failures === 1) log.warn("could not register with the hub; trying on", { why: problem });
    }
    await clock.sleep(failures === 0 ? EVERY_MS : backoffMs(failures, BACKOFF, Math.random), signal);
  }
}

async function register(
  { url, token }: NonNullable<Settings["hub"]>,
  json: Registration,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const answer = await call(`${url}/api/v1/sessions`, { method: "POST", token, json, timeoutMs: TIMEOUT_MS, signal });
    return isOk(answer) ? undefined : `the hub answered ${answer.status}`;
  } catch (error) {
    if (error instanceof AppError) return messageOf(error);
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** With a limit of its own: everything else has ended by now, and its signal has aborted. */
export async function deregister(
  { url, token }: NonNullable<Settings["hub"]>,
  id: string,
  log: Log,
  timeoutMs = OUR_PACE.goodbyeMs,
): Promise<void> {
  try {
    const path = `${url}/api/v1/sessions/${encodeURIComponent(id)}`;
    const answer = await call(path, { method: "DELETE", token, timeoutMs });
    if (!isOk(answer) && answer.status !== 404) log.warn("the hub did not take our goodbye", { status: answer.status });
  } catch (error) {
    log.warn("could not say goodbye to the hub", { error: messageOf(error) });
  }
}
