/** The run's own tools: a protocol brings its agent there in the cheapest way that both know. */
export interface OwnTools {
  readonly name: string;
  /** How long a call may take. */
  readonly callLimitMs: number;
  /** MCP over a connection that the protocol has anyway. */
  connect(): ToolConnection;
  /** MCP over HTTP; not where the agent has a network of its own. */
  readonly http?: () => Promise<{ url: string; headers: Record<string, string> }>;
  /** MCP on the stdin and stdout of a program, for everybody else. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
}

export interface ToolConnection {
  /** Never rejects. What is sent with an `id` is the answer; a call that was taken back gets none. */
  receive(message: unknown, send: (message: object) => void): Promise<void>;
  /** Takes back what is under way. */
  close(): void;
}
