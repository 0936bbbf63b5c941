import { describe, expect, test } from "vitest";
import {
  agent,
  asks,
  begins,
  ends,
  isUser,
  openClaude,
  prompt,
  says,
  stops,
  subtypeOf,
  success,
  type Wire,
} from "../../../../test/support/claude-agent.ts";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { ownTools } from "../../../../test/support/own-tools.ts";
import { openOptions, ScriptedAgent } from "../../../../test/support/scripted-agent.ts";
import { objectOf } from "../read.ts";
import { claudeCode } from "./session.ts";

describe("opening", () => {
  test("tells the conversation, its options and its commands before the first turn", async () => {
    const script = agent();
    const { events } = await openClaude(script);
    const status = await events.until("session_status");
    expect(status).toMatchObject({ status: "new", sessionId: script.args[1] });
    expect(script.args[0]).toBe("--session-id");
    await events.until("commands");
    expect(events.types()).toEqual(["session_status", "config_options", "commands"]);
  });

  test("that the definition's own flag resumes is that conversation, and no other is begun", async () => {
    const script = agent();
    const { events } = await openClaude(script, { resumeInArguments: { sessionId: "s9" } });
    expect(await events.until("session_status")).toMatchObject({ status: "resumed", sessionId: "s9" });
    expect(script.args).toEqual([]);
  });

  test("an unknown conversation is refused by name", async () => {
    const script = new ScriptedAgent((_, agent) => {
      agent.say({ ...stops, num_turns: 0, terminal_reason: undefined, errors: ["No conversation found"] });
      agent.exit(1);
    });
    const opening = openClaude(script, { resume: { sessionId: "s9" } });
    await expect(opening).rejects.toMatchObject({ code: "run.not_resumable", message: /No conversation found/ });
  });

  test("an agent that dies says why", async () => {
    const script = new ScriptedAgent((_, agent) => agent.exit(1, "unknown option '--no-such-flag'"));
    await expect(openClaude(script)).rejects.toMatchObject({ code: "agent.failed", message: /no-such-flag/ });
  });

  test("an agent that is silent is stopped", async () => {
    const clock = new FakeClock();
    const script = new ScriptedAgent();
    const opening = openClaude(script, {}, clock);
    await script.hears(() => true);
    clock.advance(120_000);
    await expect(opening).rejects.toMatchObject({ code: "timeout" });
    expect(script.gone).toBe(true);
  });

  test("an abort while the program is being started counts too", async () => {
    const script = new ScriptedAgent();
    const abort = new AbortController();
    const launch = async () => {
      abort.abort(new Error("enough"));
      return script;
    };
    await expect(claudeCode(new FakeClock()).open(launch, openOptions(), abort.signal)).rejects.toThrow("enough");
    expect(script.gone).toBe(true);
  });

  test("an aborted opening leaves nothing behind and throws the reason", async () => {
    const script = new ScriptedAgent();
    const abort = new AbortController();
    const opening = claudeCode(new FakeClock()).open(script.launch, openOptions(), abort.signal);
    await script.hears(() => true);
    abort.abort(new Error("enough"));
    await expect(opening).rejects.toThrow("enough");
    expect(script.gone).toBe(true);
  });
});

describe("a turn", () => {
  test("is a prompt, what the agent says, and one complete", async () => {
    const script = agent((message, agent) => isUser(message) && agent.say(begins, says("hello"), ends));
    const { session, events } = await openClaude(script);
    await session.send(prompt("hi"));
    await events.until("turn_started");
    expect(await events.until("complete")).toMatchObject({ turn: "t1", outcome: "completed" });
    expect(events.types().filter((type) => type === "message_chunk")).toHaveLength(1);
  });

  test("carries images", async () => {
    const script = agent();
    const { session } = await openClaude(script);
    const image = { type: "image", mimeType: "image/png", sha256: "x" } as const;
    await session.send({ type: "prompt", promptId: "p", content: [image], delivery: "queue" });
    const { message } = await script.hears(isUser);
    const source = { type: "base64", media_type: "image/png", data: Buffer.from("bytes").toString("base64") };
    expect(message).toMatchObject({ content: [{ type: "image", source }] });
  });

  test("is interrupted, and the conversation goes on", async () => {
    const script = agent((message, agent) => {
      if (isUser(message)) agent.say(begins, says("tick"));
      if (subtypeOf(message) === "interrupt") agent.say(success(message.request_id, {}), stops);
    });
    const { session, events } = await openClaude(script);
    await session.send(prompt("count"));
    await events.until("message_chunk");
    await session.send({ type: "interrupt" });
    const interrupt = await script.hears((message) => subtypeOf(message) === "interrupt");
    expect(interrupt.request).toMatchObject({ cancel_queued: true });
    expect(await events.until("complete")).toMatchObject({ turn: "t1", outcome: "interrupted" });
    await session.send(prompt("go on"));
    expect(await events.until("turn_started")).toMatchObject({ turn: "t2" });
    await session.send({ type: "interrupt", turn: "t1" });
    expect(script.heard.filter((message) => subtypeOf(message) === "interrupt")).toHaveLength(1);
  });

  test("ends once when the agent crashes in it", async () => {
    const script = agent((message, agent) => {
      if (!isUser(message)) return;
      agent.say(begins, says("uh"), asks("r1"));
      agent.exit(139, "segfault");
    });
    const { session, events } = await openClaude(script);
    await session.send(prompt("hi"));
    const rest = await events.rest();
    expect(rest.filter((event) => event.type === "complete")).toEqual([
      { type: "complete", turn: "t1", outcome: "failed", reason: "the agent exited with code 139" },
    ]);
    expect(rest.find((event) => event.type === "error")).toMatchObject({ category: "process", stderrTail: "segfault" });
    expect(rest.find((event) => event.type === "request_resolved")).toMatchObject({
      outcome: "cancelled",
      by: "agent",
    });
    await expect(session.send(prompt("again"))).rejects.toThrow();
  });
});

describe("options", () => {
  const obliging = agent((message, script) => {
    const request = objectOf(message.request);
    if (request.subtype === "set_model") script.say(success(message.request_id, { model: request.model }));
    if (request.subtype !== "set_permission_mode") return;
    const error = { subtype: "error", request_id: message.request_id, error: "not launched with it" };
    script.say({ type: "control_response", response: error });
  });

  test("change in the conversation, or are refused with the agent's words", async () => {
    const { session, events } = await openClaude(obliging);
    await events.until("commands");
    await session.send({ type: "set_option", id: "model", value: "sonnet" });
    expect((await events.until("config_options")).options[0]).toMatchObject({ id: "model", value: "sonnet" });
    const refused = session.send({ type: "set_option", id: "mode", value: "bypassPermissions" });
    await expect(refused).rejects.toMatchObject({ code: "command.unsupported", message: /not launched with it/ });
    await expect(session.send({ type: "set_option", id: "x", value: "y" })).rejects.toMatchObject({
      code: "command.unsupported",
    });
  });
});

describe("closing", () => {
  test("an idle agent goes by itself", async () => {
    const script = agent();
    const { session, events } = await openClaude(script);
    await session.close("done");
    expect((await events.rest()).map((event) => event.type)).not.toContain("error");
    expect(await script.exited).toEqual({ code: 0 });
  });

  test("a busy one is interrupted first, so that its turn ends with its figures", async () => {
    const script = agent((message, agent) => {
      if (isUser(message)) agent.say(begins, says("tick"));
      if (subtypeOf(message) === "interrupt") agent.say({ ...stops, duration_ms: 7 });
    });
    const { session, events } = await openClaude(script);
    await session.send(prompt("count"));
    await events.until("message_chunk");
    await session.close("stopped");
    const completes = (await events.rest()).filter((event) => event.type === "complete");
    expect(completes).toMatchObject([{ outcome: "interrupted", durationMs: 7 }]);
  });

  test("one that won't go is stopped, and its turn is closed", async () => {
    const clock = new FakeClock();
    const script = agent();
    const told = new Promise<void>((resolve) => {
      script.onEnd = resolve;
    });
    const { session, events } = await openClaude(script, {}, clock);
    await session.send(prompt("count"));
    const closed = session.close("stopped");
    await script.hears((message) => subtypeOf(message) === "interrupt");
    clock.advance(2000);
    await told;
    clock.advance(2000);
    await closed;
    expect(await script.exited).toEqual({ code: 143 });
    const completes = (await events.rest()).filter((event) => event.type === "complete");
    expect(completes).toMatchObject([{ outcome: "interrupted", reason: "stopped" }]);
  });
});

describe("the run's own tools", () => {
  const toServer = (request_id: string, message: object, server_name = "coxswain") => ({
    type: "control_request",
    request_id,
    request: { subtype: "mcp_message", server_name, message },
  });
  const answers = (id: string) => (message: Wire) => objectOf(message.response).request_id === id;

  test("are a server in the conversation itself", async () => {
    const script = agent();
    await openClaude(script, { tools: ownTools() });
    const initialize = await script.hears((message) => subtypeOf(message) === "initialize");
    expect(initialize.request).toMatchObject({ sdkMcpServers: ["coxswain"] });
    const config = script.args[script.args.indexOf("--mcp-config") + 1] ?? "";
    expect(JSON.parse(config)).toEqual({ mcpServers: { coxswain: { type: "sdk", name: "coxswain" } } });
  });

  test("answer, say that they still work, and hear what needs no answer", async () => {
    const heard: unknown[] = [];
    const script = agent();
    const tools = ownTools(async (message, send) => {
      heard.push(message);
      if (!("id" in message)) return;
      send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1 } });
      send({ jsonrpc: "2.0", id: message.id, result: { tools: [] } });
    });
    const { events } = await openClaude(script, { tools });
    const call = { jsonrpc: "2.0", id: 4, method: "tools/list" };
    const notice = { jsonrpc: "2.0", method: "notifications/initialized" };
    script.say(toServer("r1", call));
    expect((await script.hears(answers("r1"))).response).toMatchObject({
      subtype: "success",
      response: { mcp_response: { id: 4, result: { tools: [] } } },
    });
    const beat = await script.hears((message) => subtypeOf(message) === "mcp_message");
    expect(beat.request).toMatchObject({ server_name: "coxswain", message: { method: "notifications/progress" } });
    script.say(toServer("r2", notice));
    expect((await script.hears(answers("r2"))).response).toMatchObject({ response: { mcp_response: { result: {} } } });
    expect(heard).toEqual([call, notice]);
    script.exit(0);
    expect((await events.rest()).map(({ type }) => type)).not.toContain("unmapped");
  });

  test("a call that was taken back is over for the CLI too, and those of other servers are not ours", async () => {
    const script = agent();
    await openClaude(script, { tools: ownTools(async () => {}) });
    script.say(toServer("r1", { jsonrpc: "2.0", id: 4, method: "tools/call" }));
    expect((await script.hears(answers("r1"))).response).toMatchObject({ subtype: "error" });
    script.say(toServer("r2", { jsonrpc: "2.0", id: 5, method: "ping" }, "another"));
    expect((await script.hears(answers("r2"))).response).toMatchObject({
      subtype: "error",
      error: expect.stringContaining("not offered"),
    });
  });

  test("go with the agent", async () => {
    const closed: string[] = [];
    const script = agent();
    const { events } = await openClaude(script, { tools: ownTools(undefined, () => closed.push("closed")) });
    script.exit(0);
    await events.rest();
    await expect.poll(() => closed).toEqual(["closed"]);
  });
});
