import { AppError, messageOf } from "../../../contract/errors.ts";
import { type ChannelName, channelNames } from "../../../contract/notify.ts";
import { formatAge } from "../../../contract/words/figures.ts";
import { readConfig } from "../../../core/config/config-file.ts";
import { channelsOf } from "../../../core/launch/notifying.ts";
import { newMessage, testDraft } from "../../../core/notify/message.ts";
import { listMessages } from "../../../core/notify/outbox.ts";
import { sendFor } from "../../../core/notify/send.ts";
import { homeAt, homePath } from "../../../core/store/home.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { group } from "../../../lib/command/group.ts";
import { renderTable } from "../../../lib/command/table.ts";
import { oneLine, printableJson } from "../../../lib/text/printable.ts";

/** How long a sender stays for what failed at first. */
const STAY_MS = 60_000;

const testCommand = command({
  name: "notify test",
  summary: "Send one message by each way that is set up.",
  usage: "cox notify test [--channel NAME]",
  examples: ["cox notify test --channel desktop"],
  words: [0, 0],
  options: {
    channel: { value: "NAME", choices: ["webhook", "desktop", "command"], help: "only webhook, desktop or command" },
  },
  run: ({ values }, context) => test(values.channel, context),
});

const listCommand = command({
  name: "notify ls",
  summary: "List what could not be sent yet, and why.",
  usage: "cox notify ls [--json]",
  examples: ["cox notify ls"],
  words: [0, 0],
  options: { json: { help: "print JSON lines" } },
  run: ({ values }, context) => list(values.json === true, context),
});

const sendCommand = command({
  name: "notify send",
  summary: "Send what waits, and stay a minute for what fails at first.",
  usage: "cox notify send",
  examples: ["cox notify send"],
  words: [0, 0],
  options: {},
  run: (_, context) => send(context),
});

export default group({
  name: "notify",
  summary: "Be told when an agent needs you, a run has ended or a budget is nearly used up.",
  verbs: { test: testCommand, ls: listCommand, send: sendCommand },
  examples: [
    "cox config set notify.webhook.url https://example.org/hook",
    "cox config set notify.webhook.secret env:HOOK_SECRET",
    "cox config set notify.desktop on",
    "cox notify test                       one message by each way that is set up",
    "cox notify ls                         what could not be sent yet, and why",
  ],
});

async function test(channel: string | undefined, { env, clock, stdout }: Context): Promise<number> {
  const channels = channelsOf(await readConfig(homePath(env)), env);
  const names = channelNames.filter((name) => channels[name] !== undefined);
  const wanted = channel === undefined ? names : [requireChannel(channel, names)];
  if (wanted.length === 0) {
    const message =
      "cox notify: no way to you is set up; set notify.webhook.url, notify.desktop or notify.command with `cox config set`";
    throw new AppError("config.invalid", message);
  }
  let failed = 0;
  for (const name of wanted) {
    try {
      await channels[name]?.(newMessage(testDraft, clock.now()));
      stdout.write(`${name}: sent\n`);
    } catch (error) {
      failed += 1;
      stdout.write(`${name}: failed: ${oneLine(messageOf(error))}\n`);
    }
  }
  return failed === 0 ? 0 : 1;
}

function requireChannel(name: string, names: readonly ChannelName[]): ChannelName {
  const found = names.find((candidate) => candidate === name);
  if (found !== undefined) return found;
  const known = channelNames.some((candidate) => candidate === name);
  const why = known ? "is not set up; see `cox config get`" : `unknown; choose one of ${channelNames.join(", ")}`;
  throw new AppError("usage.invalid", `--channel ${name}: ${why}`);
}

function list(json: boolean, { env, clock, stdout }: Context): number {
  const messages = listMessages(homeAt(homePath(env)));
  if (json) {
    for (const message of messages) stdout.write(`${printableJson(message)}\n`);
    return 0;
  }
  const now = clock.now();
  const rows = messages.map(({ message, channel, state, attempts, lastError, due }) => [
    state === "failed" ? "given up" : due > now ? `in ${formatAge(due - now)}` : "due",
    channel,
    message.event,
    formatAge(now - Date.parse(message.time)),
    `${attempts}x`,
    oneLine(lastError || message.text),
  ]);
  stdout.write(rows.length === 0 ? "nothing waits to be sent\n" : renderTable(rows, stdout.columns));
  return 0;
}

async function send({ env, clock }: Context): Promise<number> {
  const home = homeAt(homePath(env));
  const channels = channelsOf(await readConfig(home.root), env);
  await sendFor({ home, channels, clock, random: Math.random }, STAY_MS);
  return 0;
}
