import { expect, test } from "vitest";
import { ownTools } from "../../../test/support/own-tools.ts";
import { inside, localExecutor } from "../executors/executor.ts";
import { firstNotices } from "./notices.ts";
import { toolsOf } from "./own-tools.ts";
import type { RunSpec } from "./run-spec.ts";

const { connect, http } = ownTools();
const toolHost = { connect, http: http ?? (async () => ({ url: "", headers: {} })) };
const tools = { command: "/bin/node", args: ["/pkg/bin/cox", "mcp"] };

test("an agent on this machine has every way to the run's own tools", () => {
  const found = toolsOf({ tools, toolHost, executor: localExecutor }, "/h/agent.sock");
  expect(found?.program.args).toEqual(["/pkg/bin/cox", "mcp", "--socket", "/h/agent.sock"]);
  expect(found?.http).toBeDefined();
  expect(found?.callLimitMs).toBe(86_400_000);
});

test("an isolated one has another network, and another name for the socket", () => {
  const found = toolsOf({ tools, toolHost, executor: { ...localExecutor, inside } }, "/h/agent.sock");
  expect(found?.program.args).toEqual(["/pkg/bin/cox", "mcp", "--socket", inside.socket]);
  expect(found?.http).toBeUndefined();
});

test("nobody has them who isn't to, or whose run nobody hosts", () => {
  expect(toolsOf({ toolHost }, "/h/agent.sock")).toBeUndefined();
  expect(toolsOf({ tools }, "/h/agent.sock")).toBeUndefined();
  expect(toolsOf({ tools, toolHost }, undefined)).toBeUndefined();
});

const servers: RunSpec["mcpServers"] = [{ name: "gh", transport: { type: "http", url: "http://x.test", headers: {} } }];
const told = (takesMcp: boolean, mcpServers = servers) => {
  const plan = { displayName: "Mine", takesMcp } as RunSpec["plan"];
  return firstNotices({ callerEnv: {}, plan, mcpServers }).map((event) => "text" in event && event.text);
};

test("servers that an agent doesn't take are named", () => {
  expect(told(false)).toEqual(["Mine takes no MCP servers (supports_mcp in its definition); not passed on: gh"]);
  expect(told(true)).toEqual([]);
  expect(told(false, [])).toEqual([]);
});
