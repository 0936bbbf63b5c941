import type { EventOf, RecordedEvent, Usage } from "../../../../contract/events.ts";
import { advance, type SessionState, starting } from "../../../../contract/sessions/session-state.ts";
import { addUsage, type ContextWindow, contextWindow } from "../../../../contract/sessions/transcript.ts";
import type { ShownTool } from "./tool-lines.ts";

/**
 * Where a run stands, as far as a screen needs to know. Unlike the transcript it forgets what has been shown, so watching a
 * run for days costs no more than watching it for a minute.
 */
export interface Progress {
  state: SessionState;
  /** Those under way. */
  tools: Map<string, ShownTool>;
  queue: EventOf<"prompt_queue">["prompts"];
  plan: EventOf<"plan"> | undefined;
  /** Of ended turns; `current` of the one under way. */
  spent: Usage;
  current: Usage | undefined;
  context: ContextWindow | undefined;
  /** When the first was heard of it. */
  began: number | undefined;
  turnBegan: number | undefined;
  /** Names of what the agent takes behind a slash. */
  commands: readonly string[];
  /** When anything was heard last. */
  heardAt: number | undefined;
  /** It said that it tries something again, and nothing since. */
  isRetrying: boolean;
}

export const noProgress = (): Progress => ({
  state: starting,
  tools: new Map(),
  queue: [],
  plan: undefined,
  spent: { input: 0, output: 0 },
  current: undefined,
  context: undefined,
  began: undefined,
  turnBegan: undefined,
  commands: [],
  heardAt: undefined,
  isRetrying: false,
});

/** Changes the progress in place. */
export function follow(progress: Progress, event: RecordedEvent): void {
  progress.state = advance(progress.state, event);
  progress.heardAt = Date.parse(event.at);
  progress.began ??= progress.heardAt;
  if (event.type === "notice" && event.code === "retrying") progress.isRetrying = true;
  else if (SAYS_MORE.has(event.type)) progress.isRetrying = false;
  switch (event.type) {
    case "turn_started":
      progress.turnBegan = Date.parse(event.at);
      return;
    case "prompt_queue":
      progress.queue = event.prompts;
      return;
    case "plan":
      progress.plan = event;
      return;
    case "commands":
      progress.commands = event.commands.map(({ name }) => name);
      return;
    case "usage":
      progress.current = event.usage;
      return;
    case "context_window":
      progress.context = contextWindow(event);
      return;
    case "complete":
      progress.current = undefined;
      if (event.usage !== undefined) progress.spent = addUsage(progress.spent, event.usage);
      if (progress.state.turn === undefined) endTurn(progress);
      return;
    case "session_status":
      if (event.status === "closed") endTurn(progress);
      return;
    default:
      return;
  }
}

/** What an agent that tries again doesn't say. */
const SAYS_MORE: ReadonlySet<RecordedEvent["type"]> = new Set([
  "turn_started",
  "message_chunk",
  "reasoning",
  "tool_call",
  "tool_update",
  "complete",
  "error",
]);

function endTurn(progress: Progress): void {
  progress.turnBegan = undefined;
  progress.tools.clear();
}

/** The tool as it is after this event; `undefined` for an update of one that nobody knows or that has ended. */
export function followTool(
  tools: Map<string, ShownTool>,
  event: EventOf<"tool_call"> | EventOf<"tool_update">,
): ShownTool | undefined {
  const known = event.type === "tool_call" ? event : tools.get(event.toolCallId);
  if (known === undefined) return undefined;
  const tool: ShownTool = {
    toolCallId: known.toolCallId,
    parentToolCallId: event.parentToolCallId ?? known.parentToolCallId,
    toolName: event.toolName ?? known.toolName,
    toolTitle: event.toolTitle ?? known.toolTitle,
    kind: event.kind ?? known.kind,
    toolStatus: event.toolStatus ?? known.toolStatus,
    result: event.result ?? known.result,
    exitCode: event.exitCode ?? known.exitCode,
    diffs: event.diffs ?? known.diffs,
  };
  tools.set(tool.toolCallId, tool);
  return tool;
}
