import { request as httpRequest } from "node:http";
import { AppError, messageOf } from "../../contract/errors.ts";
import { requireOwnSocket } from "../../lib/files/private-folder.ts";

/** Where a host is: at a URL, on a unix socket, or behind a hub. */
export interface Target {
  /** Of the host itself or of the hub. */
  base: { url: URL } | { socket: string };
  /** What stands before `screen`, `input` and the like. */
  api: string;
  /** Where its WebSocket is. */
  ws: string;
  token: string | undefined;
}

/** A word of the command line: `http://…`, a path, or a name at the hub. Without one, what the environment says. */
export function targetOf(word: string | undefined, env: NodeJS.ProcessEnv): Target {
  const said = word ?? env.COOP_URL ?? env.COOP_SOCKET;
  if (said === undefined) {
    throw new AppError("usage.invalid", "which terminal? Give its URL or socket, or set COOP_URL or COOP_SOCKET");
  }
  const token = env.COOP_AUTH_TOKEN || env.COOP_HOOK_TOKEN || undefined;
  const whole = { api: "/api/v1", ws: "/ws" };
  if (/^https?:\/\//.test(said)) return { base: { url: urlOf(said) }, ...whole, token };
  if (said.startsWith("unix:")) return { base: { socket: said.slice("unix:".length) }, ...whole, token };
  if (said.includes("/")) return { base: { socket: said }, ...whole, token };
  const hub = urlOf(env.COOP_MUX_URL || "http://127.0.0.1:9800");
  const id = encodeURIComponent(said.replace(/^hub:/, ""));
  return {
    base: { url: hub },
    api: `/api/v1/sessions/${id}`,
    ws: `/ws/${id}`,
    token: env.COOP_MUX_AUTH_TOKEN || env.COOP_MUX_TOKEN || token,
  };
}

/** Whether a word means a terminal host, and not a run of ours. */
export const isTerminalTarget = (word: string): boolean => /^https?:\/\/|^unix:|^hub:|\//.test(word);

function urlOf(text: string): URL {
  try {
    return new URL(text);
  } catch (cause) {
    throw new AppError("usage.invalid", `${text}: this is no URL`, {}, { cause });
  }
}

export interface Answer {
  status: number;
  text: string;
}

/** Asks a host. Whatever it answers is an answer; that nobody answers is an error. */
export async function ask(target: Target, method: "GET" | "POST", path: string, body?: unknown): Promise<Answer> {
  const { base, api, token } = target;
  if ("socket" in base) requireOwnSocket(base.socket);
  const where =
    "socket" in base ? { socketPath: base.socket } : { hostname: base.url.hostname, port: base.url.port || 80 };
  const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ ...where, path: api + path, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    request.on("error", (cause) => {
      reject(
        new AppError(
          "host.unreachable",
          `terminal ${nameOf(target)}: ${messageOf(cause)}; is it running?`,
          {},
          { cause },
        ),
      );
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The same, where anything but a success is an error. */
export async function askOk(target: Target, method: "GET" | "POST", path: string, body?: unknown): Promise<string> {
  const { status, text } = await ask(target, method, path, body);
  if (status < 300) return text;
  const hint = status === 401 ? "; its token goes into COOP_AUTH_TOKEN" : "";
  throw new AppError("command.unsupported", `terminal ${nameOf(target)}: ${messageIn(text)}${hint}`, { status });
}

export const nameOf = ({ base, api }: Target): string =>
  "socket" in base ? base.socket : `${base.url.origin}${api === "/api/v1" ? "" : api.slice("/api/v1".length)}`;

/** From either shape of error. */
function messageIn(text: string): string {
  try {
    const { error, detail } = JSON.parse(text);
    return error?.message ?? detail ?? text;
  } catch {
    return text;
  }
}

export function socketAddress({ base, ws, token }: Target, query: Record<string, string>): string {
  const search = new URLSearchParams(token === undefined ? query : { ...query, token }).toString();
  if ("socket" in base) {
    requireOwnSocket(base.socket);
    return `ws+unix:${base.socket}:${ws}?${search}`;
  }
  return `${base.url.protocol === "https:" ? "wss" : "ws"}://${base.url.host}${ws}?${search}`;
}
