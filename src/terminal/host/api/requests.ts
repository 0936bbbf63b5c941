import type { Operations } from "./operations.ts";
import { notOffered } from "./routes.ts";

type Answer = (message: Record<string, unknown>) => Promise<object> | object;

/** What a client may send over the WebSocket, and the name of the answer. */
export function requestsOf(operations: Operations): ReadonlyMap<string, Answer> {
  const as =
    (event: string, ask: (message: Record<string, unknown>) => unknown): Answer =>
    async (message) => {
      const answer = await ask(message);
      return { event, ...(typeof answer === "object" ? answer : {}) };
    };
  const requests: Record<string, Answer> = {
    "health:get": as("health", operations.health),
    "ready:get": as("ready", operations.ready),
    "screen:get": as("screen", async (message) => {
      const { ansi, ...screen } = await operations.screen(message);
      return message.ansi === true ? { ...screen, ansi } : screen;
    }),
    "replay:get": as("replay", operations.output),
    "status:get": as("status", operations.status),
    "input:send": as("input:sent", operations.input),
    "input:send:raw": as("input:sent", operations.raw),
    "keys:send": as("input:sent", operations.keys),
    "signal:send": as("signal:sent", operations.signal),
    resize: as("resized", operations.resize),
    "agent:get": as("agent", operations.agent),
    nudge: as("nudged", operations.nudge),
    respond: as("response", operations.respond),
    "stop:config:get": as("stop:config", () => ({ config: operations.stopConfig() })),
    "stop:config:put": as("stop:configured", ({ config }) => operations.putStopConfig(config)),
    "stop:resolve": as("stop:resolved", ({ body }) => operations.stopResolve(body)),
    "config:start:get": as("start:config", () => ({ config: operations.startConfig() })),
    "config:put:get": as("start:configured", ({ config }) => operations.putStartConfig(config)),
    "recording:get": as("recording", operations.recording),
    "recording:put": as("recording:configured", operations.putRecording),
    "recording:catchup": as("recording:catchup", operations.recordingCatchup),
    "usage:get": as("usage", operations.usage),
    "session:restart": as("session:restarted", () => {
      operations.restart();
      return { scheduled: true };
    }),
    shutdown: as("shutdown", operations.shutdown),
    ...Object.fromEntries(NOT_OFFERED.map((event) => [event, () => notOffered("WebSocket", event)])),
  };
  return new Map(Object.entries(requests));
}

const NOT_OFFERED = [
  "transcript:list",
  "transcript:get",
  "transcript:catchup",
  "profiles:register",
  "profiles:list",
  "profiles:mode",
  "profiles:mode:set",
  "session:switch",
];
