import type { Clock } from "../../lib/base/clock.ts";
import type { AgentProcess } from "./protocol.ts";
import { within } from "./within.ts";

const GRACE_MS = 2000;

/**
 * Ends an agent gently: EOF ends an idle one only, so a busy one is interrupted first (`interrupted` resolves when its
 * turn is over). What it says on its way out is still heard. Who does not go is stopped.
 */
export async function endGently(
  process: AgentProcess,
  ended: Promise<unknown>,
  clock: Clock,
  interrupted: Promise<unknown> = Promise.resolve(),
): Promise<void> {
  await within(clock, GRACE_MS, Promise.race([interrupted, ended]));
  process.end();
  await within(clock, GRACE_MS, process.exited);
  await process.stop(GRACE_MS);
  await ended;
}
