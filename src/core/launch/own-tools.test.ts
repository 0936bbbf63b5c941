import { expect, test } from "vitest";
import type { McpServer } from "../../contract/runs/mcp-server.ts";
import type { ProtocolName } from "../agents/registry/protocols.ts";
import { ownTools } from "./own-tools.ts";

const own = { node: "/bin/node", package: "/pkg" };
const given = { command: "/bin/node", args: ["/pkg/bin/cox", "mcp"] };
const server = (name: string): McpServer => ({ name, transport: { type: "http", url: "http://x.test", headers: {} } });
const plan = (protocol: ProtocolName, takesMcp = true) => ({ protocol, takesMcp });

test("agents whose protocol takes MCP servers get the run's own tools", () => {
  for (const protocol of ["acp", "claude-code", "codex"] as const) {
    expect(ownTools({}, own, undefined, plan(protocol), [server("other")])).toEqual(given);
  }
  for (const protocol of ["rest", "gemini", "opencode", "codex-exec", "mcp"] as const) {
    expect(ownTools({}, own, undefined, plan(protocol), [])).toBeUndefined();
  }
});

test("unless the agent takes none, they are switched off, or a server of the person's is called so", () => {
  expect(ownTools({}, own, undefined, plan("acp", false), [])).toBeUndefined();
  expect(ownTools({ tools: false }, own, undefined, plan("acp"), [])).toBeUndefined();
  expect(ownTools({}, own, { agent: "x", tools: "off" }, plan("acp"), [])).toBeUndefined();
  expect(ownTools({}, own, { agent: "x", tools: "on" }, plan("acp"), [])).toEqual(given);
  expect(ownTools({}, own, undefined, plan("acp"), [server("coxswain")])).toBeUndefined();
});
