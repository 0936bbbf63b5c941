import { AppError } from "../../contract/errors.ts";
import type { Protocol } from "./protocol.ts";

/** Loaded when used: nobody pays for a protocol it doesn't speak. */
const loaders: Readonly<Record<string, () => Promise<Protocol>>> = {
  acp: async () => (await import("./acp/session.ts")).acp,
  "claude-code": async () => (await import("./claude/session.ts")).claudeCode(),
  codex: async () => (await import("./codex/session.ts")).codex(),
  "codex-exec": async () => (await import("./headless/index.ts")).codexExec,
  gemini: async () => (await import("./headless/index.ts")).gemini,
  opencode: async () => (await import("./headless/index.ts")).opencode,
  text: async () => (await import("./headless/index.ts")).text,
  rest: async () => (await import("./rest/session.ts")).restProtocol(),
  mcp: async () => (await import("./mcp/session.ts")).mcpProtocol(),
};

export async function loadProtocol(name: string): Promise<Protocol> {
  const load = loaders[name];
  if (load === undefined) {
    throw new AppError("config.invalid", `protocol ${name}: unknown; known are ${Object.keys(loaders).join(", ")}`);
  }
  return load();
}
