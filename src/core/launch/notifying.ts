import type { ChannelName } from "../../contract/notify.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Context } from "../../lib/command/command.ts";
import { redactor } from "../../lib/text/redact.ts";
import { readSecret } from "../agents/profiles/secrets.ts";
import { readConfig } from "../config/config-file.ts";
import { type Config, commandWords } from "../config/config-keys.ts";
import { type NotifyEvent, type NotifyMessage, notifyEvents, type RunOfMessage } from "../notify/message.ts";
import { putMessage, waitingMessages } from "../notify/outbox.ts";
import { runProgram, showOnDesktop } from "../notify/programs.ts";
import { RunNews } from "../notify/run-news.ts";
import type { Channels } from "../notify/send.ts";
import { postWebhook } from "../notify/webhook.ts";
import type { LoopResult } from "../runner/loop.ts";
import type { Run } from "../runner/run.ts";
import { type Home, homeAt, homePath } from "../store/home.ts";
import { startSender } from "./detach.ts";
import type { PreparedRun } from "./prepare-run.ts";

const REQUEST_AFTER_S = 5;

/** The ways to a person that the config names. The webhook's secret is read only when something is sent. */
export function channelsOf(config: Config, env: NodeJS.ProcessEnv): Channels {
  const channels: Channels = {};
  const url = config["notify.webhook.url"];
  const secret = config["notify.webhook.secret"];
  const command = config["notify.command"];
  if (url !== undefined) {
    const read = secret === undefined ? undefined : () => readSecret("notify.webhook.secret", secret, env);
    channels.webhook = (message) => postWebhook({ url, secret: read }, message);
  }
  if (config["notify.desktop"] === "on") channels.desktop = (message) => showOnDesktop(message, env);
  if (command !== undefined) channels.command = (message) => runProgram(commandWords(command), message, env);
  return channels;
}

function wantedEvents(config: Config): ReadonlySet<NotifyEvent> {
  const named = config["notify.events"]?.split(",");
  return new Set(notifyEvents.filter((event) => named === undefined || named.includes(event)));
}

/** Into the outbox first: from there it is sent however this process ends. */
function announce(home: Home, channels: Channels, message: NotifyMessage, env: NodeJS.ProcessEnv): void {
  for (const channel of Object.keys(channels) as ChannelName[])
    putMessage(home, channel, message, Date.parse(message.time));
  startSender(env);
}

/** Tells of a run that somebody hosts; `undefined` where nobody wants to be told. */
export function newsOf(run: Run, spec: PreparedRun): RunNews | undefined {
  const { home, config, where, what, lineage, plan, clock, callerEnv: env } = spec;
  const about = { id: run.runId, handle: run.handle, project: where.project, task: where.task, agent: plan.agent };
  const redact = redactor([...Object.values(plan.env), ...Object.values(where.env ?? {})]);
  const endsUnnoticed = what.looped === true || lineage.parent !== undefined;
  const news = createNews({ home, run: about, config, env, clock, redact, endsUnnoticed });
  if (news !== undefined) run.watch((events) => news.heard(events));
  return news;
}

/** People wait for the end of a loop, not for those of its attempts. */
export async function tellLoopEnd({ last, outcome, why }: LoopResult, began: number, context: Context): Promise<void> {
  if (last === undefined || outcome === "stopped") return;
  const { env, clock } = context;
  const home = homeAt(homePath(env));
  const config = await readConfig(home.root);
  const run = { id: last.run_id, handle: last.handle, project: last.project_id, task: last.task_id, agent: last.agent };
  const status = outcome === "done" ? "completed" : "failed";
  createNews({ home, run, config, env, clock })?.ended({
    ...last,
    status,
    error_summary: why,
    start_time: new Date(began).toISOString(),
  });
}

interface NewsPlace {
  home: Home;
  run: RunOfMessage;
  config: Config;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  redact?: (text: string) => string;
  endsUnnoticed?: boolean;
}

function createNews({ home, run, config, env, clock, redact = (text) => text, endsUnnoticed = false }: NewsPlace) {
  const channels = channelsOf(config, env);
  if (Object.keys(channels).length === 0) return undefined;
  return new RunNews({
    run,
    events: wantedEvents(config),
    requestAfterMs: (config["notify.request_after"] ?? REQUEST_AFTER_S) * 1000,
    endsUnnoticed,
    clock,
    tell: (message) => {
      try {
        announce(home, channels, { ...message, text: redact(message.text) }, env);
      } catch {
        // A full disk, most likely: the run has troubles enough, and says them itself.
      }
    },
  });
}

/** Messages that waited for somebody to come by. */
export function sendWaiting(home: Home, env: NodeJS.ProcessEnv, now: number): void {
  if (waitingMessages(home).some(({ due, taken }) => !taken && due <= now)) startSender(env);
}
