import { Bell } from "../../../lib/base/bell.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Home } from "../home.ts";

const HEAL_MS = 2000;

export interface Waiting {
  clock: Clock;
  /** Ends the runs whose host is gone: those end nothing by themselves. */
  heal?: () => Promise<unknown>;
  limitMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Until none of these is live any more, or the time is over, or nobody wants to know: then those that still are. A host lets go
 * of its claim when the end is recorded, so the folder of claims tells it at once; a slow look now and then is the net below.
 */
export async function untilEnded<Live>(
  home: Home,
  live: () => readonly Live[] | Promise<readonly Live[]>,
  { clock, heal, limitMs = Number.POSITIVE_INFINITY, signal }: Waiting,
): Promise<readonly Live[]> {
  // Before the first look, so that no end in between goes unnoticed.
  const bell = new Bell(home.hosts);
  const ring = () => bell.ring();
  signal?.addEventListener("abort", ring);
  let isLate = limitMs <= 0;
  const late = () => {
    isLate = true;
    ring();
  };
  const takeBack = Number.isFinite(limitMs) ? clock.after(limitMs, late) : undefined;
  let healed = Number.NEGATIVE_INFINITY;
  try {
    for (;;) {
      const left = await live();
      if (left.length === 0 || isLate || signal?.aborted) return left;
      if (heal === undefined || clock.monotonic() - healed < HEAL_MS) await bell.rung();
      else {
        await heal();
        healed = clock.monotonic();
      }
    }
  } finally {
    takeBack?.();
    signal?.removeEventListener("abort", ring);
    bell.close();
  }
}
