import { z } from "zod";
import { type Json, textOf } from "../read.ts";

/** A JSON-RPC frame of MCP, as loosely as it may come. */
export interface McpMessage {
  jsonrpc?: "2.0";
  id?: string | number;
  method?: string;
  params?: Json;
  result?: unknown;
  error?: { code?: number; message?: string; data?: unknown };
}

/** What the agent may send of its own accord: mapped to events, or ignored for a reason. Anything else becomes `unmapped`. */
export const wireTypes: Readonly<Record<string, "mapped" | `ignored: ${string}`>> = {
  "notifications/progress": "mapped",
  "notifications/message": "mapped",
  "notifications/cancelled": "mapped",
  "elicitation/create": "mapped",
  "sampling/createMessage": "mapped",
  "roots/list": "mapped",
  ping: "ignored: the SDK answers it",
  "notifications/elicitation/complete": "ignored: the answer to the request says it",
  "notifications/tools/list_changed": "ignored: the tool we call is named in the definition",
  "notifications/resources/list_changed": "ignored: we read no resources",
  "notifications/resources/updated": "ignored: we read no resources",
  "notifications/prompts/list_changed": "ignored: we use no prompts of the server",
  "codex/event": "ignored: codex tells in its own words what the tool's result says",
};

/** What agents call the id of a conversation, in a result's structured content and in the arguments of a reply. */
const idNames = ["threadId", "conversationId", "sessionId"] as const;

export function conversationId(fields: Json): string | undefined {
  return idNames.map((name) => textOf(fields[name])).find((id) => id !== undefined);
}

/** `protocol_config` of a definition with protocol "mcp". */
export const McpConfig = z.strictObject({
  /** The tool that runs the agent. */
  tool: z.string().min(1),
  prompt_argument: z.string().min(1).default("prompt"),
  /** Sent along with every first prompt. */
  arguments: z.record(z.string(), z.unknown()).default({}),
  /** The tool that goes on with a conversation; without it every prompt stands alone. */
  reply_tool: z.string().min(1).optional(),
  /** How that tool calls the conversation's id. */
  reply_argument: z.enum(idNames).default("threadId"),
});
export type McpConfig = z.infer<typeof McpConfig>;
