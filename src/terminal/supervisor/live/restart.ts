import { type Backoff, backoffMs } from "../../../lib/base/backoff.ts";
import { OUR_PACE } from "../settings.ts";

/** One start of the agent, from beginning to end. */
export interface Life {
  code: number;
  elapsedMs: number;
  /** It was seen idle or working: it did not fail at the door. */
  reached: boolean;
  /** The log that it went on from. */
  resumed: string | undefined;
  /** Its end was ours: it waited for a limit to pass, or for a person to sign in. */
  excused: boolean;
}

export interface Tally {
  /** Since the last healthy life. */
  restarts: number;
  /** Logs put aside in a row. */
  retired: number;
}

export const NO_TALLY: Tally = { restarts: 0, retired: 0 };
const HEALTHY_MS = 30_000;
const MAX_RETIRED = 2;

export const isHealthy = ({ elapsedMs, reached }: Life): boolean => elapsedMs >= HEALTHY_MS && reached;

export interface Verdict {
  tally: Tally;
  /** Put this log aside: the agent can't go on from it. */
  retire: string | undefined;
  giveUp: boolean;
}

/** Pure: what an end means for the next beginning. */
export function afterLife(before: Tally, life: Life, maxRestarts: number): Verdict {
  const healthy = isHealthy(life);
  if (life.excused) return { tally: healthy ? NO_TALLY : before, retire: undefined, giveUp: false };
  // A log that was good for a long life is good for the next one, whatever ended it.
  const retire = life.code !== 0 && !healthy ? life.resumed : undefined;
  const tally = {
    restarts: (healthy ? 0 : before.restarts) + 1,
    retired: healthy ? 0 : before.retired + (retire === undefined ? 0 : 1),
  };
  return { tally, retire, giveUp: tally.restarts >= maxRestarts };
}

/** After two logs in a row that nothing could be done with, the next life begins anew. */
export const mayResume = ({ retired }: Tally): boolean => retired < MAX_RETIRED;

/** Probes of a pod give up after 45 s without an answer. */
const BACKOFF: Omit<Backoff, "cap"> = { base: 2000, factor: 2 };

export const waitBefore = ({ restarts }: Tally, random: () => number, cap = OUR_PACE.restartMs): number =>
  backoffMs(restarts, { ...BACKOFF, cap }, random);
