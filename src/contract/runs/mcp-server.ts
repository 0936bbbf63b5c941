/** A server of tools that an agent is given. */
export interface McpServer {
  name: string;
  /** How long a call may take, where the agent can be told and would give up sooner. */
  callLimitMs?: number;
  transport:
    | { type: "stdio"; command: string; args: string[]; env: Record<string, string> }
    | { type: "http" | "sse"; url: string; headers: Record<string, string> };
}
