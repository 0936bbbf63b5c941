import { Client, InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentCallsFor } from "../../../../test/support/agent-socket.ts";
import { deferred } from "../../../../test/support/deferred.ts";
import { agentOps } from "../../../contract/agent-socket.ts";
import { ToolConversation } from "./conversation.ts";
import type { Said } from "./json-rpc.ts";
import type { AgentCalls } from "./perform.ts";

/** The official client, at the other end. */
async function connected(calls: Partial<AgentCalls>, beatMs?: number) {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const tools = new ToolConversation(agentCallsFor(calls), { beatMs });
  const receive = (message: JSONRPCMessage) =>
    void tools.receive(message, (said) => void there.send(said as JSONRPCMessage));
  Object.assign(there, { onmessage: receive });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(here);
  onTestFinished(() => client.close());
  return client;
}

const textOf = ({ content }: { content?: unknown }) => (content as { text: string }[]).map(({ text }) => text).join();

describe("the run's tools over MCP", () => {
  test("are the operations of its socket, each with what it takes", async () => {
    const client = await connected({});
    expect(client.getServerVersion()?.name).toBe("coxswain");
    const { tools } = await client.listTools();
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
    const client = await connected({
      run_status: async () => {
        throw new TypeError("a bug");
      },
    });
    const refused = await client.callTool({ name: "task_status", arguments: {} });
    expect([refused.isError, textOf(refused)]).toEqual([true, "not in this test"]);
    const wrong = await client.callTool({ name: "bus_post", arguments: { body: "x", run: "another" } });
    expect([wrong.isError, textOf(wrong)]).toEqual([true, expect.stringMatching(/^bus_post: .*run/)]);
    const broken = await client.callTool({ name: "run_status", arguments: { run_id: "r" } });
    expect([broken.isError, textOf(broken)]).toEqual([true, "a bug"]);
  });

  test("a call that takes long says so, to clients that want to hear it", async () => {
    const enough = deferred<void>();
    const client = await connected({ bus_post: () => enough.promise.then(() => ({ id: "m1" })) }, 5);
    let beats = 0;
    const onprogress = () => {
      beats += 1;
      if (beats === 3) enough.resolve();
    };
    await client.callTool({ name: "bus_post", arguments: { body: "x" } }, { onprogress });
    expect(beats).toBeGreaterThanOrEqual(3);
  });

  test("a call that the client cancels is taken back at the run", async () => {
    const asked = deferred<void>();
    const takenBack = deferred<void>();
    const client = await connected({
      ask_user: (_, signal) => {
        asked.resolve();
        return new Promise(() => signal.addEventListener("abort", () => takenBack.resolve()));
      },
    });
    const cancel = new AbortController();
    const call = client.callTool({ name: "ask_user", arguments: { question: "?" } }, { signal: cancel.signal });
    await asked.promise;
    cancel.abort();
    await expect(call).rejects.toThrow();
    await takenBack.promise;
  });
});

/** What is said to each message. */
async function replies(tools: ToolConversation, ...messages: unknown[]): Promise<Said[]> {
  const said: Said[] = [];
  await Promise.all(messages.map((message) => tools.receive(message, (reply) => said.push(reply))));
  return said;
}

const request = (id: unknown, method: string, params?: unknown) => ({ jsonrpc: "2.0", id, method, params });
const failure = (id: unknown, code: number) => ({ jsonrpc: "2.0", id, error: { code, message: expect.any(String) } });

describe("JSON-RPC", () => {
  const cases: Record<string, [unknown, unknown[]]> = {
    "a version we know is spoken": [
      request(1, "initialize", { protocolVersion: "2025-03-26" }),
      [{ id: 1, result: { protocolVersion: "2025-03-26", capabilities: { tools: {} } } }],
    ],
    "instead of one we don't, the newest is offered": [
      request("a", "initialize", { protocolVersion: "2099-01-01" }),
      [{ id: "a", result: { protocolVersion: "2025-11-25" } }],
    ],
    ping: [request(0, "ping"), [{ jsonrpc: "2.0", id: 0, result: {} }]],
    "a notice has no answer": [{ jsonrpc: "2.0", method: "notifications/initialized" }, []],
    "nor has one that nobody knows": [{ jsonrpc: "2.0", method: "notifications/whatever", params: {} }, []],
    "nor an answer": [{ jsonrpc: "2.0", id: 7, result: {} }, []],
    "a method we don't have": [request("probe", "server/discover"), [failure("probe", -32601)]],
    "a name from the prototype is no tool": [
      request(1, "tools/call", { name: "constructor", arguments: {} }),
      [failure(1, -32602)],
    ],
    "a tool without a name": [request(1, "tools/call"), [failure(1, -32602)]],
    "an id that is none": [request(null, "ping"), [failure(null, -32600)]],
    "parameters in a list": [request(1, "ping", []), [failure(null, -32600)]],
    "a method that is no text": [{ jsonrpc: "2.0", id: 1, method: 5 }, [failure(null, -32600)]],
    "another version": [{ jsonrpc: "1.0", id: 1, method: "ping" }, [failure(null, -32600)]],
    "a batch": [[request(1, "ping")], [failure(null, -32600)]],
    null: [null, [failure(null, -32600)]],
  };
  test.each(Object.entries(cases))("%s", async (_, [message, expected]) => {
    expect(await replies(new ToolConversation(agentCallsFor()), message)).toMatchObject(expected);
  });

  const ask = (id: unknown) => request(id, "tools/call", { name: "ask_user", arguments: { question: "?" } });

  test("more at once than one may have is refused, and so is an id that is in use", async () => {
    const tools = new ToolConversation(agentCallsFor({ ask_user: () => new Promise(() => {}) }));
    const said: Said[] = [];
    for (let id = 1; id <= 32; id += 1) void tools.receive(ask(id), (reply) => said.push(reply));
    const [tooMany] = await replies(tools, ask(33));
    expect(tooMany).toMatchObject({ id: 33, result: { isError: true } });
    expect(said).toEqual([]);
    const fresh = new ToolConversation(agentCallsFor({ ask_user: () => new Promise(() => {}) }));
    void fresh.receive(ask(1), () => {});
    expect(await replies(fresh, ask(1))).toMatchObject([{ id: 1, result: { isError: true } }]);
  });

  test("clients of one conversation can't cancel for each other", async () => {
    const signals: AbortSignal[] = [];
    const calls = agentCallsFor({
      ask_user: (_, signal) => {
        signals.push(signal);
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const tools = new ToolConversation(calls);
    const said: Said[] = [];
    const mine = tools.receive(ask(1), (reply) => said.push(reply), "me");
    void tools.receive(ask(1), (reply) => said.push(reply), "another");
    await expect.poll(() => signals.length).toBe(2);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    await tools.receive(cancel, () => {}, "me");
    await mine;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    tools.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(said).toEqual([]);
  });
});
