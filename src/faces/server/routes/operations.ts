import { statfsSync } from "node:fs";
import type { operationRoutes } from "../../../contract/api/operations.ts";
import type { settingsRoutes } from "../../../contract/api/settings.ts";
import { AppError } from "../../../contract/errors.ts";
import { VERSION } from "../../../lib/base/version.ts";
import type { Auth } from "../access/auth.ts";
import { useLoginKey } from "../access/login-keys.ts";
import { listTokens, makeToken, revokeToken } from "../access/tokens.ts";
import type { Handlers } from "../api/handlers.ts";
import type { ServerPorts } from "../ports.ts";
import type { CountedElsewhere } from "../server-metrics.ts";

export type DoorKey = keyof typeof operationRoutes | Extract<keyof typeof settingsRoutes, `${string} /tokens${string}`>;

/** The door: who comes in, with which token; and how the server itself stands. */
export function operationHandlers(
  { home, clock }: ServerPorts,
  auth: Auth,
  counted: CountedElsewhere,
  person: string,
): Handlers<DoorKey> {
  const started = clock.now();
  return {
    "POST /login": ({ body: { key } }, { exchange: { request, response } }) => {
      if (!useLoginKey(home, key, clock.now())) {
        throw new AppError(
          "auth.required",
          "this key was used, or is older than a minute; get a new one: cox serve open",
        );
      }
      const secure = request.headers.origin?.startsWith("https:") === true;
      response.setHeader("set-cookie", auth.signIn(`${person} browser`, secure));
      return undefined;
    },
    "POST /logout": (_, { by, exchange: { request, response } }) => {
      response.setHeader("set-cookie", auth.signOut(request, by));
      return undefined;
    },
    "GET /version": (_, { by, exchange: { identity } }) => ({
      version: VERSION,
      home: home.root,
      cwd: process.cwd(),
      started: new Date(started).toISOString(),
      who: by,
      scope: identity === undefined || identity.scope === "run" ? "read" : identity.scope,
    }),
    "GET /health": () => {
      const disk = statfsSync(home.root);
      const free = disk.bavail * disk.bsize;
      return {
        ok: free > LITTLE_DISK,
        live_runs: counted.liveRuns(),
        open_requests: counted.openRequests(),
        stream_clients: counted.streamClients(),
        disk_free_bytes: free,
        uptime_s: Math.round((clock.now() - started) / 1000),
      };
    },
    "GET /tokens": () => ({ items: listTokens(home) }),
    "POST /tokens": ({ body }, { by }) => makeToken(home, { ...body, by }, clock.now()),
    "DELETE /tokens/{token}": ({ params: { token } }, { by }) => {
      revokeToken(home, token, by, clock.now());
      return undefined;
    },
  };
}

/** Below this, agents will soon fail to write. */
const LITTLE_DISK = 100 * 1024 * 1024;
