import type { SentCommand } from "../../../contract/commands.ts";
import type { Body, RecordedEvent } from "../../../contract/events.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import type { Context } from "../../../lib/command/command.ts";
import type { Style } from "../../../lib/command/style.ts";
import { JsonView } from "./json.ts";
import { TerminalView } from "./live/live.ts";
import { PlainView } from "./plain.ts";
import { QuietView } from "./quiet.ts";

/** A run as somebody watches it. */
export interface LiveView {
  show(events: readonly RecordedEvent[]): void;
  /** The run is over: the closing line. */
  finish(info: RunInfo): void;
  /** Gives the terminal back. */
  close(): void;
}

export interface ViewOptions {
  context: Context;
  style: Style;
  /** Follow-up prompts are read. */
  interactive: boolean;
  header: Pick<RunInfo, "run_id" | "handle" | "agent" | "model" | "cwd">;
  send(command: SentCommand): Promise<void>;
  /** All of a text of which an event may have only the beginning. */
  readBody(body: Body): string;
  /** Ctrl-C while the terminal gives us every key. */
  onInterruptKey(): void;
  /** Esc, where nothing is typed. */
  onEscapeKey?(): void;
  /** What Ctrl-C does next, for the status line; "interrupts" unless told. */
  interruptKey?(): string;
  /** Ctrl-] and Ctrl-D, where leaving is possible. */
  onDetachKey?(): void;
  /** The terminal hung up while it was read. */
  onTerminalGone?(): void;
  /** /quit in interactive mode; also the end of what is typed, where nobody can leave without ending it. */
  onEnd?(): void;
  /** For whoever asks what can be typed: what is not the same in every view. */
  says?: { ctrlC?: string; quit?: string; words?: readonly (readonly [word: string, does: string])[] };
  thinking?: "show" | "hide";
  color?: "auto" | "never";
}

export function createView(options: ViewOptions): LiveView {
  switch (options.style) {
    case "live":
      return new TerminalView(options);
    case "plain":
      return new PlainView(options);
    case "json":
      return new JsonView(options);
    case "quiet":
      return new QuietView(options);
  }
}
