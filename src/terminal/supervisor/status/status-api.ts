import { messageOf } from "../../../contract/errors.ts";
import type { Log } from "../../../lib/base/log.ts";
import { bearerOf, sameToken } from "../../../lib/http/access/token.ts";
import { type App, createApp } from "../../../lib/http/app.ts";
import { type Listening, listen } from "../../../lib/http/listen.ts";
import type { Settings } from "../settings.ts";
import type { Status } from "./status.ts";

interface StatusApiOptions {
  status: Status;
  settings: Pick<Settings, "hostname" | "podIp" | "reachable">;
  token: string;
  /** Known once it listens. */
  port: () => number;
  /** The agent ends when it is next idle, and isn't started again. */
  requestStop(): void;
}

/**
 * The supervisor's own page for machines. Its status is for this machine or for whoever has the terminal's token; what changes
 * something is for the token alone.
 */
export function statusApi({ status, settings, token, port, requestStop }: StatusApiOptions): App {
  const names = ["localhost", "127.0.0.1", ...(settings.reachable ? [settings.hostname, settings.podIp] : [])];
  return createApp({
    hosts: () => [...names, ...names.map((name) => `${name}:${port()}`)].map((name) => name.toLowerCase()),
    authenticate(request) {
      const given = bearerOf(request);
      return given !== undefined && sameToken(given, token) ? { name: "terminal", scope: "all" } : undefined;
    },
    routes: [
      { method: "GET", path: "/healthz", access: "open", handle: () => ({ json: { status: "running" } }) },
      {
        method: "GET",
        path: "/metrics",
        access: "open",
        handle: () => ({ text: status.figures(), headers: { "content-type": "text/plain; version=0.0.4" } }),
      },
      { method: "GET", path: "/api/v1/supervisor", access: "loopback", handle: () => ({ json: status.view() }) },
      {
        method: "POST",
        path: "/api/v1/supervisor/stop",
        access: "all", // another account of this machine may look, and not end somebody's agent
        handle() {
          requestStop();
          return { status: 202, json: { stop_requested: true } };
        },
      },
    ],
  });
}

/** A page that can't be opened is no reason not to work. */
export async function openStatusPage(
  options: Omit<StatusApiOptions, "port">,
  wanted: number,
  log: Log,
): Promise<Listening | undefined> {
  let port = wanted;
  try {
    const host = options.settings.reachable ? "0.0.0.0" : "127.0.0.1";
    const page = await listen(statusApi({ ...options, port: () => port }), { host, port });
    port = page.port;
    log.info("status page", { url: page.url });
    return page;
  } catch (error) {
    log.warn("no status page", { error: messageOf(error) });
    return undefined;
  }
}
