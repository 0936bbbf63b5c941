import { expect, test } from "vitest";
import { ownTools } from "../../../test/support/own-tools.ts";
import { inside, localExecutor } from "../executors/executor.ts";
import { toolsOf } from "./own-tools.ts";

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
