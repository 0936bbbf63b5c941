import { messageOf } from "../../contract/errors.ts";
import type { ChannelName } from "../../contract/notify.ts";
import { type Backoff, backoffMs } from "../../lib/base/backoff.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Home } from "../store/home.ts";
import type { NotifyMessage } from "./message.ts";
import { claimMessage, dropOldFailures, type Waiting, waitingMessages } from "./outbox.ts";

/** The ways that are set up now; each throws when it could not deliver. */
export type Channels = Partial<Record<ChannelName, (message: NotifyMessage) => Promise<void>>>;

export interface Sending {
  home: Home;
  channels: Channels;
  clock: Clock;
  random: () => number;
}

const BACKOFF: Backoff = { base: 10_000, factor: 3, cap: 60 * 60_000 };
const DAY_MS = 24 * 60 * 60_000;
/** A bubble on a screen is of no use to anybody later. */
const LONGEST_MS: Readonly<Record<ChannelName, number>> = { webhook: DAY_MS, command: DAY_MS, desktop: 60_000 };
const KEEP_FAILED_MS = 7 * DAY_MS;

/** Sends what is due, each message by one sender, and returns when the next one will be. */
export async function sendDue(sending: Sending): Promise<number | undefined> {
  const { home, clock } = sending;
  dropOldFailures(home, clock.now() - KEEP_FAILED_MS);
  const due = waitingMessages(home).filter((each) => !each.taken && each.due <= clock.now());
  await Promise.all(due.map((each) => sendOne(sending, each)));
  const rest = waitingMessages(home).filter((each) => !each.taken);
  return rest[0]?.due;
}

/** What fails first is tried again soon; beyond that, whoever comes next does it. */
export async function sendFor(sending: Sending, ms: number): Promise<void> {
  const { clock } = sending;
  const end = clock.now() + ms;
  for (;;) {
    const next = await sendDue(sending);
    if (next === undefined || next > end) return;
    await clock.sleep(Math.max(next - clock.now(), 100));
  }
}

async function sendOne({ home, channels, clock, random }: Sending, waiting: Waiting): Promise<void> {
  const claimed = claimMessage(home, waiting);
  if (claimed === undefined) return;
  const { message, channel, attempts } = claimed.envelope;
  const send = channels[channel];
  if (send === undefined) return claimed.giveUp("this channel is not set up any more");
  try {
    await send(message);
  } catch (error) {
    const due = clock.now() + backoffMs(attempts + 1, BACKOFF, random);
    const isLate = due - Date.parse(message.time) > LONGEST_MS[channel];
    return isLate ? claimed.giveUp(messageOf(error)) : claimed.later(messageOf(error), due);
  }
  claimed.done();
}
