import type { Json } from "../read.ts";

/** A JSON-RPC frame of ACP, as loosely as it may come. */
export interface AcpMessage {
  jsonrpc?: "2.0";
  id?: string | number | null;
  method?: string;
  params?: Json;
  result?: unknown;
  error?: { code?: number; message?: string; data?: unknown };
}

export const pendingIdOf = (id: string | number | null | undefined) => `p${String(id)}`;

/** Every wire type we know: mapped to events, or ignored for a reason. Anything else becomes `unmapped`. */
export const wireTypes: Readonly<Record<string, "mapped" | `ignored: ${string}`>> = {
  "update:agent_message_chunk": "mapped",
  "update:agent_thought_chunk": "mapped",
  "update:user_message_chunk": "ignored: our own prompt echoed, or history replayed by session/load",
  "update:tool_call": "mapped",
  "update:tool_call_update": "mapped",
  "update:plan": "mapped",
  "update:available_commands_update": "mapped",
  "update:current_mode_update": "mapped",
  "update:config_option_update": "mapped",
  "update:session_info_update": "mapped",
  "update:usage_update": "mapped",
  "session/request_permission": "mapped",
  "elicitation/create": "mapped",
  "elicitation/complete": "ignored: the answer to the request says it",
  "fs/read_text_file": "mapped",
  "fs/write_text_file": "mapped",
  "terminal/create": "mapped",
  "terminal/output": "mapped",
  "terminal/release": "mapped",
  "terminal/wait_for_exit": "mapped",
  "terminal/kill": "mapped",
  "$/cancel_request": "mapped",
  "_auth/status_update": "ignored: who pays is the agent's affair; failures come as errors",
  "auth/status_update": "ignored: who pays is the agent's affair; failures come as errors",
};
