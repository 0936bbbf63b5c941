import { describe, expect, test } from "vitest";
import { ownTools } from "../../../../test/support/own-tools.ts";
import { EventReader, openOptions, ScriptedAgent } from "../../../../test/support/scripted-agent.ts";
import type { OpenOptions } from "../protocol.ts";
import { acp } from "./session.ts";

type Answers = Record<string, object>;
const models = {
  configOptions: [{ id: "model", name: "Model", category: "model", currentValue: "a", options: [] }],
};
const refusal = (code: number, message: string) => ({ error: { code, message } });

/** Answers as the table says; everything else is fine with it. */
const agent = (answers: Answers = {}) =>
  new ScriptedAgent(({ id, method }, agent) => {
    const standard: Answers = { "session/new": { result: { sessionId: "s", ...models } } };
    const answer = answers[String(method)] ?? standard[String(method)] ?? { result: { protocolVersion: 1 } };
    if (id !== undefined && method !== undefined) agent.say({ jsonrpc: "2.0", id, ...answer });
  });

const open = (script: ScriptedAgent, options: Partial<OpenOptions> = {}) =>
  acp.open(script.launch, openOptions(options), new AbortController().signal);

describe("what the agent refuses is refused, in its words", () => {
  test("a model that it doesn't know", async () => {
    const script = agent({ "session/set_config_option": refusal(-32602, "no such model") });
    await expect(open(script, { model: "b" })).rejects.toMatchObject({
      code: "config.invalid",
      message: "model b: session/set_config_option: no such model",
      details: { category: "model" },
    });
    expect(script.gone).toBe(true);
  });

  test.each([
    ["a conversation it doesn't have any more", { resume: { sessionId: "old" } }, -32602, "run.not_resumable"],
    ["a new conversation", {}, -32603, "agent.failed"],
    ["anybody who isn't logged in", {}, -32000, "agent.not_ready"],
  ])("%s", async (_, options, code, expected) => {
    const script = agent({
      initialize: { result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } },
      "session/new": refusal(code, "no"),
      "session/load": refusal(code, "no"),
    });
    await expect(open(script, options)).rejects.toMatchObject({
      code: expected,
      message: expect.stringContaining("no"),
    });
  });

  test("an option, and the conversation goes on", async () => {
    const session = await open(agent({ "session/set_config_option": refusal(-32602, "no such model") }));
    const events = new EventReader(session);
    const wish = session.send({ type: "set_option", id: "model", value: "b" });
    await expect(wish).rejects.toMatchObject({ code: "command.unsupported" });
    expect(await events.until("notice")).toMatchObject({ code: "option_refused" });
    await session.close("done");
  });
});

describe("a request of the agent", () => {
  const permission = {
    jsonrpc: "2.0",
    id: 7,
    method: "session/request_permission",
    params: { sessionId: "s", toolCall: { toolCallId: "c" }, options: [{ optionId: "yes", kind: "allow_once" }] },
  };
  const answerTo = (id: number) => (message: Record<string, unknown>) => message.id === id && "result" in message;

  test("may be answered in the very moment it is heard of, as a rule does", async () => {
    const script = agent();
    const session = await open(script);
    const answering = (async () => {
      for await (const event of session.events) {
        if (event.type !== "permission_request") continue;
        return session.send({ type: "answer", pendingId: event.pendingId, answer: { optionId: "yes" } });
      }
    })();
    script.say(permission);
    await answering;
    const { result } = await script.hears(answerTo(7));
    expect(result).toEqual({ outcome: { outcome: "selected", optionId: "yes" } });
    await session.close("done");
  });

  test("that offers nothing to choose is cancelled, and one that we don't serve is refused", async () => {
    const script = agent();
    const session = await open(script);
    script.say({ ...permission, params: { ...permission.params, options: [] } });
    expect((await script.hears(answerTo(7))).result).toEqual({ outcome: { outcome: "cancelled" } });
    script.say({ jsonrpc: "2.0", id: 8, method: "fs/read_text_file", params: { sessionId: "s", path: "/etc/passwd" } });
    const refused = await script.hears((message) => message.id === 8 && "error" in message);
    expect(refused.error).toMatchObject({ code: -32601 });
    await session.close("done");
  });
});

describe("the run's own tools", () => {
  const http = {
    initialize: { result: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } } },
  };
  const program = { name: "coxswain", command: "/bin/node", args: ["cox", "mcp"], env: [] };
  const address = {
    type: "http",
    name: "coxswain",
    url: "http://127.0.0.1:1/mcp",
    headers: [{ name: "Authorization", value: "Bearer t" }],
  };

  test.each([
    ["through a program", {}, {}, program],
    ["over HTTP, if it takes that and keeps the token to itself", http, { private_headers: true }, address],
    ["through a program, if it may show the token to others", http, {}, program],
    ["through a program, if it doesn't take HTTP", {}, { private_headers: true }, program],
  ])("are reached %s", async (_, answers, config, expected) => {
    const script = agent(answers);
    const session = await open(script, { config, tools: ownTools() });
    const { params } = await script.hears(({ method }) => method === "session/new");
    expect(params).toMatchObject({ mcpServers: [expected] });
    await session.close("done");
  });
});
