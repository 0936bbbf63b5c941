import type { Clock } from "../../../lib/base/clock.ts";

/** Until a terminal host answers there. `false` when `gone` comes first. */
export async function waitReady(url: string, gone: AbortSignal, clock: Clock): Promise<boolean> {
  while (!gone.aborted) {
    try {
      const answer = await fetch(`${url}/api/v1/health`, {
        signal: AbortSignal.any([gone, AbortSignal.timeout(2000)]),
      });
      if (answer.ok) return true;
    } catch {
      // not yet
    }
    await clock.sleep(100, gone);
  }
  return false;
}
