import type { RecordingEntry } from "../recording.ts";
import type { ScreenSnapshot } from "../screen.ts";
import type { StopOutcome } from "../stop-gate.ts";
import type { Transition } from "./tracker.ts";
import type { Usage } from "./usage.ts";

/** What the host tells those who subscribed, in the words of the wire. The bytes of the terminal are fetched, not sent here. */
export type HostEvent =
  | ({ event: "transition" } & Transition)
  | { event: "exit"; code: number; signal: number | null }
  | { event: "prompt:outcome"; source: "groom" | "api"; type: string; subtype?: string; option?: number }
  | ({ event: "screen" } & Omit<ScreenSnapshot, "ansi">)
  | { event: "hook:raw"; data: unknown }
  | { event: "message:raw"; data: unknown; source: "log" | "stdout" }
  | ({ event: "stop:outcome" } & StopOutcome)
  | { event: "start:outcome"; source: string; session_id?: string; injected: boolean; seq: number }
  | { event: "usage:update"; cumulative: Usage; seq: number }
  | ({ event: "recording:entry" } & RecordingEntry);

/** By which word of `subscribe` one gets it. */
export const topicOf: Readonly<Record<HostEvent["event"], string>> = {
  transition: "state",
  exit: "state",
  "prompt:outcome": "state",
  screen: "screen",
  "hook:raw": "hooks",
  "message:raw": "messages",
  "stop:outcome": "state",
  "start:outcome": "state",
  "usage:update": "usage",
  "recording:entry": "recording",
};
