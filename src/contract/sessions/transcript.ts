import type { AgentEvent, Content, EventOf, Tool, Usage } from "../events.ts";
import { advance, type SessionState, starting } from "./session-state.ts";

export type { OpenRequest } from "./session-state.ts";

/** What a person reads of a conversation, folded from its events. Used by the terminal, the server and the page alike. */
export interface Transcript {
  state: SessionState;
  items: TranscriptItem[];
  plan: EventOf<"plan"> | undefined;
  queue: EventOf<"prompt_queue">["prompts"];
  usage: Usage;
  context: ContextWindow | undefined;
  turns: number;
}

export type TranscriptItem =
  | { kind: "user"; promptId: string; content: Content[]; by?: string }
  | { kind: "message" | "reasoning"; messageId: string; turn?: string; parentToolCallId?: string; text: string }
  | { kind: "tool"; turn?: string; tool: Tool; output: string }
  | { kind: "error"; error: EventOf<"error"> }
  | { kind: "notice"; notice: EventOf<"notice"> }
  | { kind: "end"; complete: EventOf<"complete"> };

export interface ContextWindow {
  used: number;
  size: number;
  remaining: number;
  /** Percent of the window in use. */
  efficiency: number;
  /** The agent doesn't tell the size: it is what its definition says of the model. */
  sizeFrom?: "definition";
}

export const emptyTranscript = (): Transcript => ({
  state: starting,
  items: [],
  plan: undefined,
  queue: [],
  usage: { input: 0, output: 0 },
  context: undefined,
  turns: 0,
});

/** Changes the transcript in place: a copy of all items per chunk would cost more the longer the conversation gets. */
export function addEvent(transcript: Transcript, event: AgentEvent): void {
  transcript.state = advance(transcript.state, event);
  switch (event.type) {
    case "user_message":
      transcript.items.push({ kind: "user", promptId: event.promptId, content: event.content, by: event.by });
      return;
    case "prompt_queue":
      transcript.queue = event.prompts;
      return;
    case "message_chunk":
    case "reasoning":
      return addChunk(transcript, event);
    case "tool_call": {
      const { type: _, turn, ...tool } = event;
      transcript.items.push({ kind: "tool", turn, tool, output: "" });
      return;
    }
    case "tool_update":
      return updateTool(transcript, event);
    case "plan":
      transcript.plan = event;
      return;
    case "context_window":
      transcript.context = contextWindow(event);
      return;
    case "error":
      transcript.items.push({ kind: "error", error: event });
      return;
    case "notice":
      transcript.items.push({ kind: "notice", notice: event });
      return;
    case "complete":
      transcript.turns += 1;
      transcript.items.push({ kind: "end", complete: event });
      if (event.usage) transcript.usage = addUsage(transcript.usage, event.usage);
      return;
    default:
      return;
  }
}

export function contextWindow({
  used,
  size,
  sizeFrom,
}: Pick<ContextWindow, "used" | "size" | "sizeFrom">): ContextWindow {
  const within = Math.min(Math.max(used, 0), Math.max(size, 0));
  const efficiency = size > 0 ? Math.round((within / size) * 1000) / 10 : 0;
  const window = { used: within, size, remaining: Math.max(size - within, 0), efficiency };
  return sizeFrom === undefined ? window : { ...window, sizeFrom };
}

export function addUsage(a: Usage, b: Usage): Usage {
  const sum = (x: number | undefined, y: number | undefined) =>
    x === undefined && y === undefined ? undefined : (x ?? 0) + (y ?? 0);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: sum(a.cacheRead, b.cacheRead),
    cacheWrite: sum(a.cacheWrite, b.cacheWrite),
    reasoning: sum(a.reasoning, b.reasoning),
    model: b.model ?? a.model,
    costUsd: sum(a.costUsd, b.costUsd),
    costSource:
      a.costSource === "estimated" || b.costSource === "estimated" ? "estimated" : (b.costSource ?? a.costSource),
  };
}

/** What the agent said last: the messages after the last tool call or thought of the latest turn that said something. */
export function finalAnswer(items: readonly TranscriptItem[]): string {
  const last = items.findLastIndex((item) => item.kind === "message" && item.parentToolCallId === undefined);
  const parts: string[] = [];
  for (let i = last; i >= 0; i -= 1) {
    const item = items[i];
    if (item?.kind !== "message" || item.parentToolCallId !== undefined) break;
    parts.unshift(item.text);
  }
  return parts.join("\n\n").trim();
}

function addChunk(transcript: Transcript, event: EventOf<"message_chunk">): void {
  const kind = event.type === "message_chunk" ? "message" : "reasoning";
  const last = transcript.items.at(-1);
  if (last?.kind === kind && last.messageId === event.messageId) {
    last.text = event.replace ? event.text : last.text + event.text;
    return;
  }
  if (event.replace && replaceEarlier(transcript, kind, event)) return;
  const { messageId, turn, parentToolCallId, text } = event;
  transcript.items.push({ kind, messageId, turn, parentToolCallId, text });
}

function replaceEarlier(transcript: Transcript, kind: string, event: EventOf<"message_chunk">): boolean {
  const item = transcript.items.findLast(
    (item) => item.kind === kind && "messageId" in item && item.messageId === event.messageId,
  );
  if (item === undefined || !("text" in item)) return false;
  item.text = event.text;
  return true;
}

function updateTool(transcript: Transcript, event: EventOf<"tool_update">): void {
  const item = transcript.items.findLast((item) => item.kind === "tool" && item.tool.toolCallId === event.toolCallId);
  if (item?.kind !== "tool") return;
  const { type: _, turn: __, outputChunk, ...fields } = event;
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) (item.tool as Record<string, unknown>)[key] = value;
  }
  if (outputChunk !== undefined) item.output += outputChunk;
}
