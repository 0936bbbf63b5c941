import { expect, test } from "vitest";
import type { McpServer } from "../../contract/runs/mcp-server.ts";
import { ownTools } from "./own-tools.ts";

const own = { node: "/bin/node", package: "/pkg" };
const given = { command: "/bin/node", args: ["/pkg/bin/cox", "mcp"] };
const server = (name: string): McpServer => ({ name, transport: { type: "http", url: "http://x.test", headers: {} } });

test("agents whose protocol takes MCP servers get the run's own tools", () => {
  for (const protocol of ["acp", "claude-code", "codex"] as const) {
    expect(ownTools({}, own, undefined, protocol, [server("other")])).toEqual(given);
  }
  for (const protocol of ["rest", "gemini", "opencode", "codex-exec", "mcp"] as const) {
    expect(ownTools({}, own, undefined, protocol, [])).toBeUndefined();
  }
});

test("unless they are switched off, or a server of the person's is called so", () => {
  expect(ownTools({ tools: false }, own, undefined, "acp", [])).toBeUndefined();
  expect(ownTools({}, own, { agent: "x", tools: "off" }, "acp", [])).toBeUndefined();
  expect(ownTools({}, own, { agent: "x", tools: "on" }, "acp", [])).toEqual(given);
  expect(ownTools({}, own, undefined, "acp", [server("coxswain")])).toBeUndefined();
});
