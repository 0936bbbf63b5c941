import { AppError, messageOf } from "../../contract/errors.ts";
import { channelNames } from "../../contract/notify.ts";
import { readConfig, writeConfig } from "../../core/config/config-file.ts";
import { channelsOf } from "../../core/launch/notifying.ts";
import { newMessage, testDraft } from "../../core/notify/message.ts";
import type { NotifySettings } from "../../faces/server/ports.ts";
import type { Clock } from "../../lib/base/clock.ts";

/** How people are told is in config.yaml, whoever changes it. */
export function notifySettings(home: string, env: NodeJS.ProcessEnv, clock: Clock): NotifySettings {
  return {
    async channels() {
      const config = await readConfig(home);
      const details = {
        webhook: config["notify.webhook.url"] ?? "",
        desktop: config["notify.desktop"] === "on" ? "on" : "",
        command: config["notify.command"] ?? "",
      };
      return channelNames.map((channel) => ({ channel, on: details[channel] !== "", detail: details[channel] }));
    },

    async set(channel, { on, url, secret, command }) {
      switch (channel) {
        case "webhook":
          if (on && url === undefined) throw missing("webhook", "url");
          await writeConfig(home, "notify.webhook.url", on ? url : undefined);
          if (secret !== undefined || !on) await writeConfig(home, "notify.webhook.secret", on ? secret : undefined);
          return;
        case "desktop":
          return writeConfig(home, "notify.desktop", on ? "on" : undefined);
        case "command":
          if (on && command === undefined) throw missing("command", "command");
          return writeConfig(home, "notify.command", on ? command : undefined);
      }
    },

    async test() {
      const channels = channelsOf(await readConfig(home), env);
      const wanted = channelNames.filter((name) => channels[name] !== undefined);
      return Promise.all(
        wanted.map(async (channel) => {
          try {
            await channels[channel]?.(newMessage(testDraft, clock.now()));
            return { channel, ok: true };
          } catch (error) {
            return { channel, ok: false, error: messageOf(error) };
          }
        }),
      );
    },
  };
}

const missing = (channel: string, key: string) =>
  new AppError("config.invalid", `notifications by ${channel}: say where to: ${key} is missing`);
