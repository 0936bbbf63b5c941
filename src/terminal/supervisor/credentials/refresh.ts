import { messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Log } from "../../../lib/base/log.ts";
import { withLock } from "../../../lib/process/holders/lock.ts";
import { OUR_PACE, type Pace } from "../settings.ts";
import { type Credentials, readCredentials, writeCredentials } from "./file.ts";
import type { Renewal } from "./oauth.ts";

export type Due = "no login" | "not renewable" | "managed elsewhere" | "fresh" | "due";

const MARGIN_MS = 3_600_000;

/** Whether the login must be renewed now. */
export function dueOf(credentials: Credentials | undefined, now: number, managedFrom = OUR_PACE.managedFrom): Due {
  if (credentials === undefined) return "no login";
  if (credentials.expiresAt >= managedFrom) return "managed elsewhere";
  if (credentials.refreshToken === "" || credentials.expiresAt === 0) return "not renewable";
  return credentials.expiresAt - now > MARGIN_MS ? "fresh" : "due";
}

export interface RefreshOptions {
  file: string;
  clock: Clock;
  log: Log;
  renew(refreshToken: string, signal: AbortSignal): Promise<Renewal>;
  /** Called after each attempt: how many failed in a row, 0 after a success. */
  onAttempt(failures: number): void;
  pace?: Pick<Pace, "refreshDelayMs" | "managedFrom">;
}

type Outcome = { done: Due | "renewed" } | { failed: string; retryAfterMs?: number };

/** One check, and what it takes. Only one process renews at a time, and looks again once it may. */
export async function refreshOnce(options: RefreshOptions, signal: AbortSignal): Promise<Outcome> {
  const { file, clock, pace = OUR_PACE } = options;
  const first = dueOf(readCredentials(file), clock.now(), pace.managedFrom);
  if (first !== "due") return { done: first };
  const impatient = {
    ...clock,
    sleep: (ms: number) => clock.sleep(ms, signal),
    monotonic: () => (signal.aborted ? Number.POSITIVE_INFINITY : clock.monotonic()), // a lock is not waited for at the end
  };
  return withLock(`${file}.lock`, () => renewLocked(options, signal), {
    waitMs: LOCK_MS,
    longestMs: OLD_LOCK_MS,
    clock: impatient,
  });
}

const LOCK_MS = 60_000;
/** Whoever died with it in another container can't be asked whether it still lives; nobody renews for minutes. */
const OLD_LOCK_MS = 120_000;

async function renewLocked(
  { file, clock, renew, log, pace = OUR_PACE }: RefreshOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const before = readCredentials(file);
  const due = dueOf(before, clock.now(), pace.managedFrom);
  if (before === undefined || due !== "due") return { done: due };
  const renewal = await renew(before.refreshToken, signal);
  if (!renewal.ok)
    return { failed: renewal.why, ...(renewal.retryAfterMs ? { retryAfterMs: renewal.retryAfterMs } : {}) };
  const now = readCredentials(file);
  // The agent renews its login, too. What it wrote meanwhile is the newer one.
  if (
    now !== undefined &&
    now.refreshToken !== before.refreshToken &&
    dueOf(now, clock.now(), pace.managedFrom) !== "due"
  ) {
    log.info("the login was renewed by somebody else meanwhile");
    return { done: "fresh" };
  }
  writeCredentials(file, {
    ...(now ?? before).whole, // what the agent keeps there beside the login is its own
    claudeAiOauth: {
      ...before.oauth,
      accessToken: renewal.accessToken,
      refreshToken: renewal.refreshToken ?? before.refreshToken,
      expiresAt: clock.now() + renewal.expiresInMs,
    },
  });
  return { done: "renewed" };
}

const EVERY_MS = 5 * 60_000;
/** In a row, after which a person is needed. */
export const FAILURES = 5;

/** Until the signal aborts: at once, then every five minutes. Never throws: a login that can't be renewed ends nothing. */
export async function keepFresh(options: RefreshOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, onAttempt, pace = OUR_PACE } = options;
  if (pace.refreshDelayMs > 0) await clock.sleep(pace.refreshDelayMs, signal);
  let failures = 0;
  let told: string | undefined;
  while (!signal.aborted) {
    let waitMs = EVERY_MS;
    const outcome = await attempt(options, signal);
    if (signal.aborted) return;
    if ("failed" in outcome) {
      failures += 1;
      onAttempt(failures);
      log.warn("could not renew the login", { why: outcome.failed, failures });
      if (failures === FAILURES)
        log.error("the login needs a person: sign in again in the agent's terminal", { failures });
      waitMs = Math.max(EVERY_MS, outcome.retryAfterMs ?? 0);
    } else {
      // A file that is gone or damaged is no reason to take the alarm back; a login that works is.
      if (outcome.done !== "no login" && (failures > 0 || outcome.done === "renewed")) {
        failures = 0;
        onAttempt(0);
      }
      if (outcome.done !== told) log.info("login checked", { result: outcome.done });
      told = outcome.done;
    }
    await clock.sleep(waitMs, signal);
  }
}

async function attempt(options: RefreshOptions, signal: AbortSignal): Promise<Outcome> {
  try {
    return await refreshOnce(options, signal);
  } catch (error) {
    return { failed: messageOf(error) };
  }
}
