import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentSocket } from "../../../test/support/agent-socket.ts";
import { agentOps } from "../../contract/agent-socket.ts";
import type { AgentCalls } from "../../core/host/agent-socket.ts";
import { mcpServer } from "./mcp.ts";

async function connected(calls: Partial<AgentCalls>, path?: string, beatMs?: number) {
  const socketPath = path ?? (await agentSocket(calls)).path;
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([mcpServer(socketPath, { beatMs }).connect(there), client.connect(here)]);
  onTestFinished(() => client.close());
  return client;
}

const textOf = ({ content }: { content?: unknown }) => (content as { text: string }[]).map(({ text }) => text).join();

describe("the run's tools over MCP", () => {
  test("are the operations of its socket, each with what it takes", async () => {
    const { tools } = await (await connected({})).listTools();
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(agentOps));
    const post = tools.find(({ name }) => name === "bus_post");
    expect(post?.inputSchema).toMatchObject({ required: ["body"], additionalProperties: false });
    expect(post?.annotations).toEqual({ destructiveHint: false, openWorldHint: false });
    expect(tools.find(({ name }) => name === "spawn_run")?.annotations).toBeUndefined();
  });

  test("say what came of it", async () => {
    const given: unknown[] = [];
    const client = await connected({
      bus_post: async (params) => {
        given.push(params);
        return { id: "m1" };
      },
    });
    const result = await client.callTool({ name: "bus_post", arguments: { body: "hello" } });
    expect(JSON.parse(textOf(result))).toEqual({ id: "m1" });
    expect(given).toMatchObject([{ body: "hello", type: "INFO" }]);
  });

  test("say what the run refuses, as an error that the model reads", async () => {
    const result = await (await connected({})).callTool({ name: "task_status", arguments: {} });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe("not in this test");
  });

  test("say when there is no run", async () => {
    const client = await connected({}, "/nowhere/agent.sock");
    const result = await client.callTool({ name: "bus_read", arguments: {} });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("reach the run (/nowhere/agent.sock)");
  });

  test("a call that takes long says so, to clients that want to hear it", async () => {
    let enough: (() => void) | undefined;
    const heard = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const client = await connected({ bus_post: () => heard.then(() => ({ id: "m1" })) }, undefined, 5);
    let beats = 0;
    const onprogress = () => {
      beats += 1;
      if (beats === 3) enough?.();
    };
    await client.callTool({ name: "bus_post", arguments: { body: "x" } }, { onprogress });
    expect(beats).toBeGreaterThanOrEqual(3);
  });

  test("a call that the client cancels is taken back at the run", async () => {
    let asked: (() => void) | undefined;
    let takenBack: (() => void) | undefined;
    const waiting = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const gone = new Promise<void>((resolve) => {
      takenBack = resolve;
    });
    const client = await connected({
      ask_user: (_, signal) => {
        asked?.();
        return new Promise(() => signal.addEventListener("abort", () => takenBack?.()));
      },
    });
    const cancel = new AbortController();
    const call = client.callTool({ name: "ask_user", arguments: { question: "?" } }, { signal: cancel.signal });
    await waiting;
    cancel.abort();
    await expect(call).rejects.toThrow();
    await gone;
  });
});
