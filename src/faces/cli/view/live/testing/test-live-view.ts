import { onTestFinished } from "vitest";
import type { SentCommand } from "../../../../../contract/commands.ts";
import type { AgentEvent, RecordedEvent } from "../../../../../contract/events.ts";
import { testContext } from "../../../testing/test-context.ts";
import { createView } from "../../index.ts";
import { TestTerminal } from "./test-terminal.ts";

export const RUN = "20260801-1200000000-0000042-0001";

/** For tests: a live view on a terminal that can be read. */
export function liveView(
  options: {
    interactive?: boolean;
    width?: number;
    height?: number;
    thinking?: "hide";
    env?: NodeJS.ProcessEnv;
    /** The run goes on without the view. */
    leaves?: true;
    keyboard?: false;
    /** Texts that lie elsewhere, by their hash. */
    blobs?: Record<string, string>;
  } = {},
) {
  const terminal = new TestTerminal(options.width ?? 60, options.height ?? 24);
  const context = testContext({
    env: { NO_COLOR: "1", ...options.env },
    tty: { columns: terminal.columns(), rows: terminal.rows() },
    onWrite: (text) => terminal.write(text),
  });
  if (options.keyboard === false) context.stdin.isTTY = false;
  const sent: SentCommand[] = [];
  const calls: string[] = [];
  let refusal: Error | undefined;
  const view = createView({
    context,
    style: "live",
    interactive: options.interactive ?? false,
    header: { run_id: RUN, handle: 0, agent: "demo", model: "fast", cwd: "/work" },
    send: async (command) => {
      sent.push(command);
      if (refusal) throw refusal;
    },
    readBody: (body) => {
      if (typeof body === "string") return body;
      const text = options.blobs?.[body.sha256];
      if (text === undefined) throw new Error(`no blob ${body.sha256}`);
      return text;
    },
    onInterruptKey: () => calls.push("interrupt"),
    onEnd: () => calls.push("end"),
    ...(options.leaves ? { onDetachKey: () => calls.push("leave") } : {}),
    thinking: options.thinking,
  });
  onTestFinished(() => view.close());
  let seq = 0;
  const show = (...events: AgentEvent[]) =>
    view.show(
      events.map((event): RecordedEvent => {
        seq += 1;
        return { seq, at: new Date(context.clock.now()).toISOString(), ...event };
      }),
    );
  const refuse = (error: Error) => {
    refusal = error;
  };
  /** Without the header. */
  const shown = () => terminal.shown.slice(1);
  /** Without the line that says what goes on, too. */
  const said = () => shown().filter((row) => !row.startsWith("● "));
  const pause = (ms = 500) => context.clock.pass(ms);
  const { type } = context;
  /** A key, and no other for a moment. */
  const press = (key: string) => {
    type(key);
    pause(300);
  };
  return { terminal, context, view, show, shown, said, sent, calls, refuse, pause, type, press };
}
