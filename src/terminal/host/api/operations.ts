import { z } from "zod";
import { AppError } from "../../../contract/errors.ts";
import { StartConfig } from "../../../core/screens/start-script.ts";
import { StopConfig } from "../../../core/screens/stop-gate.ts";
import type { TerminalHost } from "../host.ts";
import { keyBytes, signalNamed } from "../keys.ts";

/** What can be asked of a host, whichever way the question comes: HTTP and WebSocket only name it differently. */
export type Operations = ReturnType<typeof operationsOf>;

const size = z.number().int().min(1).max(1000);
const count = z.coerce.number().int().min(0);

const Screen = z.object({ cursor: z.union([z.boolean(), z.string().transform((text) => text === "true")]).optional() });
const Output = z.object({ offset: count.default(0), limit: count.optional() });
const Input = z.object({ text: z.string(), enter: z.boolean().default(false) });
const Raw = z.object({ data: z.string() });
const Keys = z.object({ keys: z.array(z.string()) });
const Resize = z.object({ cols: size, rows: size });
const Signal = z.object({ signal: z.union([z.string(), z.number().transform(String)]) });
const Nudge = z.object({ message: z.string() });
const Answer = z.object({ option: z.number().int().min(1).optional(), text: z.string().optional() });
const Respond = Answer.extend({
  accept: z.boolean().optional(),
  answers: z.array(z.preprocess(withoutNulls, Answer)).default([]),
});
const Catchup = z.object({ since_seq: count.default(0), since_hook_seq: count.default(0) });
const Enabled = z.object({ enabled: z.boolean() });
const Hook = z.object({ event: z.string().optional(), data: z.record(z.string(), z.unknown()).default({}) });

export function operationsOf(host: TerminalHost, clients: () => number) {
  const { terminal, tracker, conversation } = host;
  const { screen } = terminal;
  const pid = () => terminal.pid ?? null;
  return {
    health: () => ({
      status: "running",
      session_id: host.id,
      pid: pid(),
      uptime_secs: host.uptimeSecs,
      agent: host.settings.agent,
      terminal: { cols: screen.cols, rows: screen.rows },
      terminal_cols: screen.cols,
      terminal_rows: screen.rows,
      ws_clients: clients(),
      ready: tracker.ready,
    }),
    ready: () => ({ ready: tracker.ready }),
    livez: () => ({ status: "alive", uptime_secs: host.uptimeSecs, pid: pid() }),
    async screen(input: unknown) {
      const { cursor } = read(Screen, input);
      await screen.settled();
      const snapshot = screen.snapshot();
      return { ...snapshot, cursor: cursor === true ? snapshot.cursor : null };
    },
    async text() {
      await screen.settled();
      return screen.snapshot().lines.join("\n");
    },
    output(input: unknown) {
      const { offset, limit } = read(Output, input);
      const found = terminal.ring.read(offset, limit);
      return {
        data: found.data.toString("base64"),
        offset: found.offset,
        next_offset: found.offset + found.data.length,
        total_written: terminal.ring.total,
      };
    },
    status: () => ({
      session_id: host.id,
      state: terminal.pid === undefined && terminal.exit === undefined ? "starting" : tracker.state,
      pid: pid(),
      uptime_secs: host.uptimeSecs,
      exit_code: terminal.exit?.code ?? null,
      screen_seq: screen.seq,
      bytes_read: terminal.ring.total,
      bytes_written: terminal.bytesWritten,
      ws_clients: clients(),
      labels: host.settings.labels,
    }),
    input(input: unknown) {
      const { text, enter } = read(Input, input);
      return { bytes_written: terminal.write(enter ? `${text}\r` : text) };
    },
    raw(input: unknown) {
      return { bytes_written: terminal.write(fromBase64(read(Raw, input).data)) };
    },
    keys(input: unknown) {
      return { bytes_written: terminal.write(keyBytes(read(Keys, input).keys)) };
    },
    resize(input: unknown) {
      const { cols, rows } = read(Resize, input);
      terminal.resize(cols, rows);
      return { cols, rows };
    },
    signal(input: unknown) {
      terminal.signal(signalNamed(read(Signal, input).signal));
      return { delivered: true };
    },
    agent: () => {
      const { detail, category } = tracker.trouble ?? {};
      return {
        agent: host.settings.agent,
        session_id: host.id,
        state: tracker.state,
        since_seq: tracker.seq,
        screen_seq: screen.seq,
        detection_tier: tracker.tier,
        detection_cause: tracker.cause,
        prompt: tracker.prompt ?? null,
        ...(detail === undefined ? {} : { error_detail: detail, error_category: category }),
        ...(tracker.lastMessage === undefined ? {} : { last_message: tracker.lastMessage }),
      };
    },
    nudge: (input: unknown) => conversation.nudge(read(Nudge, input).message),
    respond: (input: unknown) => conversation.respond(read(Respond, input ?? {})),
    hookStop(input: unknown) {
      const { data } = read(Hook, input ?? {});
      const { outcome, reason } = host.gate.ask(data.stop_hook_active === true, tracker.trouble);
      return outcome === "blocked" ? { decision: "block", reason, last_message: tracker.lastMessage } : {};
    },
    hookStart(input: unknown): string {
      const { data } = read(Hook, input ?? {});
      const source = [data.source, data.session_type].find((value) => typeof value === "string");
      return host.startScript(source ?? "unknown", typeof data.session_id === "string" ? data.session_id : undefined);
    },
    stopResolve(input: unknown) {
      host.gate.resolve(input);
      return { accepted: true };
    },
    stopConfig: () => host.gate.config,
    putStopConfig(input: unknown) {
      host.gate.config = read(StopConfig, input);
      return { updated: true };
    },
    startConfig: () => host.startConfig,
    putStartConfig(input: unknown) {
      host.startConfig = read(StartConfig, input);
      return { updated: true };
    },
    usage: () => ({ ...host.usage, uptime_secs: host.uptimeSecs }),
    restart(): void {
      host.restart().catch(() => host.tracker.report({ tier: 4, state: "exited", cause: "restart:failed" }));
    },
    shutdown() {
      void host.shutdown();
      return { accepted: true };
    },
    catchup(input: unknown) {
      const { since_seq, since_hook_seq } = read(Catchup, input);
      return {
        state_events: host.history.stateSince(since_seq),
        hook_events: host.history.hooksSince(since_hook_seq),
      };
    },
    recording: () => host.recording.status,
    putRecording(input: unknown) {
      host.recording.enabled = read(Enabled, input).enabled;
      return host.recording.status;
    },
    recordingCatchup: (input: unknown) => ({ entries: host.recording.since(read(Catchup, input).since_seq) }),
    recordingText: () => host.recording.text(),
  };
}

function read<T>(schema: z.ZodType<T>, input: unknown): T {
  const { data, error } = schema.safeParse(withoutNulls(input));
  if (data !== undefined) return data;
  const issue = error?.issues[0];
  const place = issue?.path.join(".");
  throw new AppError("usage.invalid", `${place ? `${place}: ` : ""}${issue?.message ?? "not what was expected"}`);
}

/** Clients in Rust write null for what they don't say; a limit of null is none, not 0. */
function withoutNulls(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

/** Buffer would take anything and leave out what it doesn't know. */
function fromBase64(data: string): Buffer {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data) || data.length % 4 !== 0) {
    throw new AppError("usage.invalid", "invalid base64 data");
  }
  return Buffer.from(data, "base64");
}
