import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import { homePath, openHome } from "../core/store/home.ts";
import type { Log } from "../lib/base/log.ts";
import type { Context } from "../lib/command/command.ts";
import { openTokenFile } from "../lib/http/access/token-file.ts";
import type { HubCore } from "../terminal/hub/core.ts";
import { type RunningHub, startHub } from "../terminal/hub/start.ts";

export const HUB_PORT = 9800;

export interface HubWishes {
  host?: string;
  port?: string;
  token?: string;
  names?: string;
}

/** The hub's own door, as options and the environment want it. `tokenFile`: where its token lies, if none was given. */
export async function startHubHere(
  core: HubCore,
  wishes: HubWishes,
  log: Log,
  { env, clock }: Context,
): Promise<{ hub: RunningHub; tokenFile: string | undefined }> {
  const given = wishes.token ?? (env.COOP_MUX_AUTH_TOKEN || undefined);
  const tokenFile = join(openHome(homePath(env)).root, "hub-token");
  const hub = await startHub({
    core,
    host: wishes.host ?? (env.COOP_MUX_HOST || "127.0.0.1"),
    port: portOf(wishes.port ?? (env.COOP_MUX_PORT || String(HUB_PORT))),
    token: given ?? openTokenFile(tokenFile),
    names: (wishes.names ?? env.COOP_MUX_NAMES ?? "").split(",").filter((name) => name !== ""),
    env,
    clock,
    log,
  });
  return { hub, tokenFile: given === undefined ? tokenFile : undefined };
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new AppError("config.invalid", `hub: port ${JSON.stringify(text)}: not a port from 0 to 65535`);
}
