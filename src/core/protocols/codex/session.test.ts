import { describe, expect, test } from "vitest";
import {
  agent,
  asks,
  ends,
  isMethod,
  notify,
  offline,
  openCodex,
  prompt,
  says,
} from "../../../../test/support/codex-agent.ts";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { openOptions, ScriptedAgent } from "../../../../test/support/scripted-agent.ts";
import { codex } from "./session.ts";

describe("opening", () => {
  test("shakes hands, then starts a thread; a provider without a list of models is fine", async () => {
    const script = agent();
    const { events } = await openCodex(script);
    expect(script.heard.map(({ method }) => method)).toEqual([
      "initialize",
      "initialized",
      "model/list",
      "thread/start",
    ]);
    expect(await events.until("session_status")).toMatchObject({
      status: "new",
      sessionId: "th",
      agentVersion: "0.166.0",
    });
    expect((await events.until("config_options")).options).toMatchObject([
      { id: "model", value: "gpt" },
      { id: "mode", value: "untrusted" },
    ]);
  });

  test("resumes without the history", async () => {
    const script = agent();
    const { events } = await openCodex(script, { resume: { sessionId: "th" } });
    const { params } = await script.hears(isMethod("thread/resume"));
    expect(params).toMatchObject({ threadId: "th", excludeTurns: true });
    expect(await events.until("session_status")).toMatchObject({ status: "resumed", resumedBy: "native" });
  });

  test("an unknown conversation is refused by name", async () => {
    const script = new ScriptedAgent(({ id, method }, agent) => {
      if (method === "thread/resume") agent.say({ id, error: { code: -32600, message: "no rollout found" } });
      else if (id !== undefined) agent.say({ id, result: {} });
    });
    const opening = openCodex(script, { resume: { sessionId: "th" } });
    await expect(opening).rejects.toMatchObject({ code: "run.not_resumable", message: /no rollout found/ });
    expect(script.gone).toBe(true);
  });

  test("an agent that dies says why", async () => {
    const script = new ScriptedAgent((_, agent) => agent.exit(2, "unexpected argument"));
    await expect(openCodex(script)).rejects.toMatchObject({ code: "agent.failed", message: /unexpected argument/ });
  });

  test("an abort while the program is being started counts too", async () => {
    const script = new ScriptedAgent();
    const abort = new AbortController();
    const launch = async () => {
      abort.abort(new Error("enough"));
      return script;
    };
    await expect(codex(new FakeClock()).open(launch, openOptions(), abort.signal)).rejects.toThrow("enough");
    expect(script.gone).toBe(true);
  });

  test("an aborted opening leaves nothing behind and throws the reason", async () => {
    const script = new ScriptedAgent();
    const abort = new AbortController();
    const opening = codex(new FakeClock()).open(script.launch, openOptions(), abort.signal);
    await script.hears(() => true);
    abort.abort(new Error("enough"));
    await expect(opening).rejects.toThrow("enough");
    expect(script.gone).toBe(true);
  });
});

describe("a turn", () => {
  test("is a prompt, what the agent says, and one complete", async () => {
    const script = agent(({ method }, agent, turn) => method === "turn/start" && agent.say(says("hello"), ends(turn)));
    const { session, events } = await openCodex(script);
    await session.send(prompt("hi"));
    await events.until("turn_started");
    expect(await events.until("complete")).toMatchObject({ turn: "t1", outcome: "completed" });
    expect(events.seen.filter((event) => event.type === "message_chunk")).toMatchObject([{ text: "hello" }]);
  });

  test("is interrupted by codex' own name for it, and the conversation goes on", async () => {
    const script = agent(({ method }, agent, turn) => {
      if (method === "turn/start") agent.say(says("tick"));
      if (method === "turn/interrupt") agent.say(ends(turn, "interrupted"));
    });
    const { session, events } = await openCodex(script);
    await session.send(prompt("count"));
    await events.until("message_chunk");
    await session.send({ type: "interrupt" });
    expect(await script.hears(isMethod("turn/interrupt"))).toMatchObject({
      params: { threadId: "th", turnId: "turn-1" },
    });
    expect(await events.until("complete")).toMatchObject({ turn: "t1", outcome: "interrupted" });
    await session.send(prompt("go on"));
    expect(await events.until("turn_started")).toMatchObject({ turn: "t2" });
    await session.send({ type: "interrupt", turn: "t1" });
    expect(script.heard.filter(isMethod("turn/interrupt"))).toHaveLength(1);
  });

  test("can't be interrupted before codex has begun it: the interrupt waits for that", async () => {
    const script = new ScriptedAgent(({ id, method }, agent) => {
      if (method === "turn/start") agent.say({ id, result: { turn: { id: "x" } } });
      else if (id !== undefined) agent.say({ id, result: { thread: { id: "th" }, model: "gpt" } });
    });
    const { session } = await openCodex(script);
    await session.send(prompt("count"));
    const interrupted = session.send({ type: "interrupt" });
    expect(script.heard.some(isMethod("turn/interrupt"))).toBe(false);
    script.say(notify("turn/started", { turn: { id: "x" } }));
    await interrupted;
    expect(script.heard.at(-1)).toMatchObject({ method: "turn/interrupt", params: { turnId: "x" } });
  });

  test("is steered without beginning another", async () => {
    const script = agent(({ id, method }, agent, turn) => {
      if (method === "turn/steer") agent.say({ id, result: { turnId: turn } }, says("ok"), ends(turn));
    });
    const { session, events } = await openCodex(script);
    await session.send(prompt("count"));
    await session.send(prompt("faster", "steer"));
    expect(await script.hears(isMethod("turn/steer"))).toMatchObject({ params: { expectedTurnId: "turn-1" } });
    await events.until("complete");
    expect(events.types().filter((type) => type === "turn_started")).toHaveLength(1);
  });

  test("ends once when the agent crashes in it", async () => {
    const script = agent(({ method }, agent) => {
      if (method !== "turn/start") return;
      agent.say(says("uh"), asks(0));
      agent.exit(101, "panicked at");
    });
    const { session, events } = await openCodex(script);
    await session.send(prompt("hi"));
    const rest = await events.rest();
    expect(rest.filter((event) => event.type === "complete")).toEqual([
      { type: "complete", turn: "t1", outcome: "failed", reason: "the agent exited with code 101" },
    ]);
    expect(rest.find((event) => event.type === "error")).toMatchObject({
      category: "process",
      stderrTail: "panicked at",
    });
    await expect(session.send(prompt("again"))).rejects.toThrow();
  });
});

describe("a server that can't be reached", () => {
  async function waiting(onInterrupt: (agent: ScriptedAgent, turn: string) => void) {
    const clock = new FakeClock();
    const script = agent(({ method }, agent, turn) => {
      if (method === "turn/start") agent.say(offline);
      if (method === "turn/interrupt") onInterrupt(agent, turn);
    });
    const { session, events } = await openCodex(script, { config: { network_deadline_ms: 1000 } }, clock);
    await session.send(prompt("hi"));
    await events.until("notice");
    return { clock, script, session, events };
  }

  test("fails the turn once, with the cause, after the deadline", async () => {
    const { clock, session, events } = await waiting((agent, turn) => agent.say(ends(turn, "interrupted")));
    clock.advance(999);
    clock.advance(1);
    expect(await events.until("error")).toMatchObject({ category: "network", retryable: true, turn: "t1" });
    expect(await events.until("complete")).toMatchObject({ turn: "t1", outcome: "failed" });
    await session.close("done");
    expect((await events.rest()).filter((event) => event.type === "complete")).toEqual([]);
  });

  test("codex that does not even react to that is stopped", async () => {
    const { clock, script, events } = await waiting(() => {});
    clock.advance(1000);
    await script.hears(isMethod("turn/interrupt"));
    clock.advance(5000);
    expect(await events.until("complete")).toMatchObject({ turn: "t1", outcome: "failed" });
    expect(script.gone).toBe(true);
  });

  test("nothing happens when it is reached again in time", async () => {
    const { clock, script, events } = await waiting(() => {});
    script.say(says("back"));
    await events.until("message_chunk");
    clock.advance(10_000);
    script.say(ends("turn-1"));
    expect(await events.until("complete")).toMatchObject({ outcome: "completed" });
    expect(script.heard.some(isMethod("turn/interrupt"))).toBe(false);
  });
});

describe("options", () => {
  test("change in the conversation, or are refused with codex' words", async () => {
    const script = agent(({ id, method, params }, agent) => {
      if (method !== "thread/settings/update") return;
      const { effort, model } = params as { effort?: string; model?: string };
      if (model === undefined) agent.say({ id, error: { code: -32600, message: `no effort ${effort}` } });
      else agent.say({ id, result: {} }, notify("thread/settings/updated", { threadSettings: { model } }));
    });
    const { session, events } = await openCodex(script);
    await events.until("config_options");
    await session.send({ type: "set_option", id: "model", value: "gpt-6" });
    expect((await events.until("config_options")).options[0]).toMatchObject({ id: "model", value: "gpt-6" });
    const refused = session.send({ type: "set_option", id: "effort", value: "heroic" });
    await expect(refused).rejects.toMatchObject({ code: "command.unsupported", message: /no effort heroic/ });
    const unknown = session.send({ type: "set_option", id: "x", value: "y" });
    await expect(unknown).rejects.toMatchObject({ code: "command.unsupported" });
  });
});

describe("closing", () => {
  test("an idle agent goes by itself", async () => {
    const script = agent();
    const { session, events } = await openCodex(script);
    await session.close("done");
    expect((await events.rest()).map((event) => event.type)).not.toContain("error");
    expect(await script.exited).toEqual({ code: 0 });
  });

  test("a busy one is interrupted first", async () => {
    const script = agent(
      ({ method }, agent, turn) => method === "turn/interrupt" && agent.say(ends(turn, "interrupted")),
    );
    const { session, events } = await openCodex(script);
    await session.send(prompt("count"));
    await session.close("stopped");
    expect((await events.rest()).filter((event) => event.type === "complete")).toMatchObject([
      { outcome: "interrupted" },
    ]);
  });
});
