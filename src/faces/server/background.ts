import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Channels, sendDue } from "../../core/notify/send.ts";
import { heal } from "../../core/tasks/heal.ts";
import { launcher } from "../../core/tasks/launch.ts";
import { workQueue } from "../../core/tasks/queue/queue-worker.ts";
import { Bell } from "../../lib/base/bell.ts";
import type { Idempotency } from "./api/idempotency.ts";
import type { ServerPorts } from "./ports.ts";

export interface BackgroundOptions {
  /** Who starts what was queued, as the bus will say. */
  by: string;
  maxConcurrent: number;
  /** The ways to people that are set up now. */
  channels(): Promise<Channels>;
}

const HEAL_MS = 2000;
const OUTBOX_MS = 10_000;
const TIDY_MS = 60 * 60_000;
const AGAIN_MS = 5000;

/** What a server does without being asked. All of it is on disk and claimed by name, so others may do the same meanwhile. */
export function startBackground(
  ports: ServerPorts,
  idempotency: Idempotency,
  options: BackgroundOptions,
): { stop(): Promise<void> } {
  const { home, clock, log } = ports;
  const ending = new AbortController();
  const { signal } = ending;

  /** Again and again until the end; what fails is said and tried again. */
  const keep = async (what: string, round: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) {
      try {
        await round();
      } catch (error) {
        log.error(`${what} failed`, { error });
        await clock.sleep(AGAIN_MS, signal);
      }
    }
  };

  const work = [
    keep("ending lost runs", async () => {
      for (const run of await heal(home, clock)) log.warn("a run's host was gone; its record is complete now", { run });
      await clock.sleep(HEAL_MS, signal);
    }),
    keep("working off the queue", () =>
      workQueue(home, {
        by: options.by,
        clock,
        limits: { maxConcurrent: options.maxConcurrent },
        launch: launcher(ports.start),
        signal,
        once: false,
        report: ({ what, ...news }) => log.info(`queue: ${what}`, news),
      }),
    ),
    sendMessages(ports, options, keep, signal),
    keep("forgetting old idempotency keys", async () => {
      idempotency.tidy();
      await clock.sleep(TIDY_MS, signal);
    }),
  ];
  return {
    async stop() {
      ending.abort();
      await Promise.all(work);
    },
  };
}

async function sendMessages(
  { home, clock }: ServerPorts,
  { channels }: BackgroundOptions,
  keep: (what: string, round: () => Promise<void>) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const folder = join(home.root, "outbox");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const bell = new Bell(folder, OUTBOX_MS);
  signal.addEventListener("abort", () => bell.ring());
  await keep("sending messages", async () => {
    const next = await sendDue({ home, channels: await channels(), clock, random: Math.random });
    const takeBack = next === undefined ? undefined : clock.after(Math.max(next - clock.now(), 100), () => bell.ring());
    await bell.rung();
    takeBack?.();
  });
  bell.close();
}
