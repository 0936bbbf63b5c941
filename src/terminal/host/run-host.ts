import type { TerminalSettings } from "../../core/screens/settings.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Log } from "../../lib/base/log.ts";
import { newToken } from "../../lib/http/access/token.ts";
import { serve } from "./api/serve.ts";
import { TerminalHost } from "./host.ts";
import { writePrivate } from "./session-folder.ts";

export interface RunHostOptions {
  settings: TerminalSettings;
  env: NodeJS.ProcessEnv;
  cwd: string;
  clock: Clock;
  log: Log;
}

export interface RunningHost {
  host: TerminalHost;
  urls: readonly string[];
  /** Where the token lies; the token itself when it was made here and nobody has seen it yet. */
  tokenFile: string;
  newToken: string | undefined;
  /** What clients must show. */
  token: string;
  /** Everything is closed by then. */
  ended: Promise<number>;
}

/** The doors are open before the program starts: its first hook must find them. */
export async function runHost(options: RunHostOptions): Promise<RunningHost> {
  const { settings, env, log } = options;
  const made = settings.token === undefined ? newToken() : undefined;
  const token = settings.token ?? made ?? "";
  const host = await TerminalHost.create(options);
  try {
    writePrivate(host.folder.token, token);
    const served = await serve(host, token, env, log);
    try {
      await host.start();
    } catch (error) {
      await served.close();
      throw error;
    }
    const ended = host.ended.then(async (code) => {
      await served.close();
      host.close();
      return code;
    });
    return { host, urls: served.urls, tokenFile: host.folder.token, newToken: made, token, ended };
  } catch (error) {
    host.close();
    throw error;
  }
}
