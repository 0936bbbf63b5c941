import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import { z } from "zod";

/** What was said and done in a conversation, as far as it is worth replaying. Thoughts and plans are not. */
export const Entry = z.discriminatedUnion("type", [
  z.object({ type: z.literal("user"), messageId: z.string(), text: z.string() }),
  z.object({ type: z.literal("agent"), messageId: z.string(), text: z.string() }),
  z.object({
    type: z.literal("tool"),
    toolCallId: z.string(),
    name: z.string(),
    title: z.string(),
    kind: z.enum(["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"]),
    status: z.enum(["pending", "in_progress", "completed", "failed"]),
    text: z.string(),
  }),
]);
export type Entry = z.infer<typeof Entry>;

/** A scripted flood must not become a flood on disk: a remembered text is cut here. */
const MAX_TEXT = 16 * 1024;

export class History {
  readonly entries: Entry[];

  constructor(entries: readonly Entry[] = []) {
    this.entries = [...entries];
  }

  /** What the person asked, oldest first. */
  prompts(): string[] {
    return this.entries.filter((entry) => entry.type === "user").map((entry) => entry.text);
  }

  tokens(): number {
    return tokensFor(this.entries.reduce((sum, entry) => sum + entry.text.length, 0));
  }

  add(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case "user_message_chunk":
        return this.#addText("user", update);
      case "agent_message_chunk":
        return this.#addText("agent", update);
      case "tool_call": {
        const { toolCallId, title, name, kind = "other", status = "pending" } = update;
        const text = cut(textOf(update.content));
        this.entries.push({ type: "tool", toolCallId, name: name ?? kind, title, kind, status, text });
        return;
      }
      case "tool_call_update": {
        const tool = this.entries.findLast((entry) => entry.type === "tool" && entry.toolCallId === update.toolCallId);
        if (tool?.type !== "tool") return;
        tool.status = update.status ?? tool.status;
        tool.text = update.content ? cut(textOf(update.content)) : tool.text;
      }
    }
  }

  #addText(
    type: "user" | "agent",
    chunk: Extract<SessionUpdate, { sessionUpdate: "user_message_chunk" }> | AgentChunk,
  ): void {
    if (chunk.content.type !== "text") return;
    const messageId = chunk.messageId ?? "";
    const last = this.entries.at(-1);
    if (last?.type === type && last.messageId === messageId) last.text = cut(last.text + chunk.content.text);
    else this.entries.push({ type, messageId, text: cut(chunk.content.text) });
  }
}

type AgentChunk = Extract<SessionUpdate, { sessionUpdate: "agent_message_chunk" }>;

/** The notifications that tell a client what it missed. */
export function replay(entry: Entry): SessionUpdate {
  if (entry.type === "tool") {
    const { toolCallId, name, title, kind, status, text } = entry;
    return { sessionUpdate: "tool_call", toolCallId, name, title, kind, status, content: [textContent(text)] };
  }
  const content = { type: "text" as const, text: entry.text };
  const sessionUpdate = entry.type === "user" ? ("user_message_chunk" as const) : ("agent_message_chunk" as const);
  return { sessionUpdate, content, messageId: entry.messageId };
}

/** There is no model, hence no tokenizer: four characters count as one token. */
export const tokensFor = (characters: number): number => Math.ceil(characters / 4);
export const textContent = (text: string): ToolCallContent => ({ type: "content", content: { type: "text", text } });

function textOf(content: readonly ToolCallContent[] = []): string {
  return content
    .map((item) => (item.type === "content" && item.content.type === "text" ? item.content.text : ""))
    .filter((text) => text !== "")
    .join("\n");
}

const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text);
