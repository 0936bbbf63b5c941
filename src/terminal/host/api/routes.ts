import { AppError } from "../../../contract/errors.ts";
import type { Access, Exchange, Method, Reply, Route } from "../../../lib/http/route.ts";
import type { Operations } from "./operations.ts";

/** The health port: four routes, open to whoever probes. */
export const healthRoutes = (operations: Operations): Route[] => [
  route("GET", "health", "open", () => ({ json: operations.health() })),
  route("GET", "ready", "open", () => readyReply(operations)),
  route("GET", "livez", "open", () => ({ json: operations.livez() })),
  route("GET", "agent", "open", () => ({ json: operations.agent() })),
];

/** Everything, on the main port and the socket. */
export function allRoutes(operations: Operations): Route[] {
  const get = (path: string, ask: (query: unknown) => unknown) =>
    route("GET", path, "all", async ({ url }) => ({ json: await ask(Object.fromEntries(url.searchParams)) }));
  const send = (method: Method, path: string, ask: (body: unknown) => unknown, access: Access = "all") =>
    route(method, path, access, async (exchange) => ({ json: await ask(await exchange.json()) }));
  const post = (path: string, ask: (body: unknown) => unknown) => send("POST", path, ask);
  const put = (path: string, ask: (body: unknown) => unknown) => send("PUT", path, ask);
  return [
    ...healthRoutes(operations).filter(({ path }) => !path.endsWith("/agent")),
    get("agent", operations.agent),
    get("screen", operations.screen),
    route("GET", "screen/text", "all", async () => ({ text: await operations.text() })),
    get("output", operations.output),
    get("status", operations.status),
    post("input", operations.input),
    post("input/raw", operations.raw),
    post("input/keys", operations.keys),
    post("resize", operations.resize),
    post("signal", operations.signal),
    post("agent/nudge", operations.nudge),
    post("agent/respond", operations.respond),
    // For the agent's own hooks: their token carries no more than this, and everything else needs all.
    send("POST", "hooks/stop", operations.hookStop, "read"),
    send("POST", "stop/resolve", operations.stopResolve, "read"),
    route("POST", "hooks/start", "read", async (exchange) => ({
      text: operations.hookStart(await exchange.json()),
    })),
    get("config/stop", operations.stopConfig),
    put("config/stop", operations.putStopConfig),
    get("config/start", operations.startConfig),
    put("config/start", operations.putStartConfig),
    get("session/usage", operations.usage),
    route("POST", "session/restart", "all", () => {
      operations.restart();
      return { status: 202 };
    }),
    post("shutdown", operations.shutdown),
    get("events/catchup", operations.catchup),
    get("recording", operations.recording),
    put("recording", operations.putRecording),
    get("recording/catchup", operations.recordingCatchup),
    route("GET", "recording/download", "all", () => ({
      text: operations.recordingText(),
      headers: {
        "content-type": "application/x-ndjson",
        "content-disposition": 'attachment; filename="recording.jsonl"',
      },
    })),
    ...NOT_OFFERED.map(([method, path]) => route(method, path, "all", ({ url }) => notOffered(method, url.pathname))),
    { method: "GET", path: "/", access: "all", handle: () => notOffered("GET", "/") },
  ];
}

/** Of the original's API; what it is for is done elsewhere here. */
const NOT_OFFERED: readonly (readonly [Method, string])[] = [
  ["POST", "session/profiles"],
  ["GET", "session/profiles"],
  ["GET", "session/profiles/mode"],
  ["PUT", "session/profiles/mode"],
  ["POST", "session/switch"],
  ["GET", "transcripts"],
  ["GET", "transcripts/catchup"],
  ["GET", "transcripts/{number}"],
  ["POST", "upload"],
];

export function notOffered(method: string, path: string): never {
  throw new AppError(
    "platform.unsupported",
    `${method} ${path}: this host does not offer it; see \`cox terminal --help\``,
  );
}

function route(
  method: Method,
  path: string,
  access: Access,
  handle: (exchange: Exchange) => Promise<Reply> | Reply,
): Route {
  return { method, path: `/api/v1/${path}`, access, handle };
}

function readyReply(operations: Operations): Reply {
  const json = operations.ready();
  return { status: json.ready ? 200 : 503, json };
}
