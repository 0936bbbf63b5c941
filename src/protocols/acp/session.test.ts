import { describe, expect, test } from "vitest";
import { EventReader, openOptions, ScriptedAgent } from "../../../test/support/scripted-agent.ts";
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
