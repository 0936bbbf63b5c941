import type { OwnTools, ToolConnection } from "../../src/core/protocols/own-tools/own-tools.ts";

type Receive = (message: Record<string, unknown>, send: (message: object) => void) => Promise<void>;

/** The tools of a run, as a protocol sees them. */
export const ownTools = (receive: Receive = async () => {}, close: () => void = () => {}): OwnTools => ({
  name: "coxswain",
  callLimitMs: 86_400_000,
  connect: (): ToolConnection => ({ receive: (message, send) => receive(message as never, send), close }),
  http: async () => ({ url: "http://127.0.0.1:1/mcp", headers: { Authorization: "Bearer t" } }),
  program: { command: "/bin/node", args: ["cox", "mcp"] },
});
