import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LoadSessionResponse } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { delivered, initialize, isRunning, newDirectory, soon, startDemo } from "./test-client.ts";

describe("the protocol", () => {
  test("it says what it can do, offers options and commands, and takes changes", async () => {
    const demo = startDemo();
    expect(await initialize(demo.agent)).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "coxswain-demo" },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true },
        mcpCapabilities: { http: true },
        sessionCapabilities: { resume: {}, fork: {} },
      },
    });
    const opened = await demo.agent.request("session/new", { cwd: newDirectory(), mcpServers: [] });
    expect(opened).toMatchObject({
      modes: { currentModeId: "default" },
      configOptions: [
        { id: "mode", category: "mode", currentValue: "default" },
        { id: "model", category: "model", currentValue: "demo-fast" },
      ],
    });
    expect(opened.modes?.availableModes.map(({ id }) => id)).toEqual(["default", "accept-edits", "yolo", "plan"]);
    const session = demo.attach(opened.sessionId);
    await expect.poll(() => session.commands[0]?.availableCommands.map(({ name }) => name), soon).toContain("memory");

    const { sessionId } = opened;
    const set = (configId: string, value: string) =>
      demo.agent.request("session/set_config_option", { sessionId, configId, value });
    const { configOptions } = await set("model", "demo-smart");
    await delivered();
    expect(configOptions[1]).toMatchObject({ id: "model", currentValue: "demo-smart" });
    expect(session.updates).toEqual([{ sessionUpdate: "config_option_update", configOptions }]);
    expect(await session.say("@model")).toBe("demo-smart");
    await expect(set("model", "gpt")).rejects.toMatchObject({ code: -32602 });
    await expect(demo.agent.request("session/set_mode", { sessionId, modeId: "bold" })).rejects.toMatchObject({
      code: -32602,
    });
    expect(await session.say("/memory")).toBe("Earlier you said:\n- @model");

    demo.child.stdin?.end();
    expect(await demo.exited).toEqual({ code: 0, signal: null });
    expect(demo.stderr()).toBe("");
  });
});

describe("a conversation goes on in another process", () => {
  test("loaded with its history, resumed without, or forked under a new id", async () => {
    const env = { DEMO_HOME: newDirectory() };
    const cwd = newDirectory();
    const first = startDemo({}, env);
    await initialize(first.agent);
    const { id: sessionId } = await first.newSession(cwd);
    const begun = first.attach(sessionId);
    await first.agent.request("session/set_mode", { sessionId, modeId: "yolo" });
    await begun.prompt("@say the code word is plum\n@run echo done");
    // The prompt of a turn that ends in a crash is remembered too.
    await expect(begun.prompt("@say too late\n@crash 7")).rejects.toThrow();
    expect(await first.exited).toEqual({ code: 7, signal: null });
    expect(first.stderr()).toContain("crashing with code 7");

    const second = startDemo({}, env);
    await initialize(second.agent);
    const loaded = second.attach(sessionId);
    const params = { sessionId, cwd, mcpServers: [] };
    const opened = await second.agent.request<LoadSessionResponse>("session/load", params);
    await delivered();
    expect(opened.modes?.currentModeId).toBe("yolo");
    const lines = second.stdout().split("\n");
    const answer = lines.findIndex((line) => line.includes('"modes"'));
    expect(answer, "the history comes first").toBeGreaterThan(lines.findLastIndex((line) => line.includes("too late")));
    expect(loaded.updates).toMatchObject([
      { sessionUpdate: "user_message_chunk", content: { text: "@say the code word is plum\n@run echo done" } },
      { sessionUpdate: "agent_message_chunk", content: { text: "the code word is plum" } },
      { sessionUpdate: "tool_call", title: "echo done", status: "completed", kind: "execute" },
      { sessionUpdate: "user_message_chunk", content: { text: "@say too late\n@crash 7" } },
    ]);
    expect(await loaded.say("what did I say?")).toContain("plum");

    const fork: { sessionId: string } = await second.agent.request("session/fork", params);
    expect(fork.sessionId).not.toBe(sessionId);
    expect(await second.attach(fork.sessionId).say("@memory")).toContain("plum");
    await loaded.prompt("@say only here");
    expect(await second.attach(fork.sessionId).say("@memory")).not.toContain("only here");

    loaded.updates.length = 0;
    await second.agent.request("session/resume", params);
    await delivered();
    expect(loaded.of("user_message_chunk")).toEqual([]);
    expect(await loaded.say("@memory")).toContain("only here");

    for (const unknown of ["demo_0", "../etc/passwd"]) {
      const request = second.agent.request("session/load", { ...params, sessionId: unknown });
      await expect(request).rejects.toMatchObject({ code: -32002 });
    }
    second.child.stdin?.end();
    expect(await second.exited).toEqual({ code: 0, signal: null });
  });

  test("where nothing can be kept, it says so and works all the same", async () => {
    const file = join(newDirectory(), "file");
    writeFileSync(file, "");
    const demo = startDemo({}, { DEMO_HOME: join(file, "home") });
    await initialize(demo.agent);
    const session = await demo.newSession(newDirectory());
    expect(await session.say("@say hello")).toBe("hello");
    expect(demo.stderr()).toContain("can't be resumed later");
    demo.child.stdin?.end();
    expect(await demo.exited).toEqual({ code: 0, signal: null });
  });
});

describe("the end of the process", () => {
  const begin = async () => {
    const demo = startDemo();
    await initialize(demo.agent);
    return { demo, session: await demo.newSession(newDirectory()) };
  };

  test("SIGTERM ends it with 143 in mid-turn, and what it runs", async () => {
    const { demo, session } = await begin();
    const file = join(newDirectory(), "pid");
    const lost = expect(
      session.prompt(`@run echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 600`),
    ).rejects.toThrow();
    await expect.poll(() => existsSync(file), soon).toBe(true);
    const pid = Number(readFileSync(file, "utf8"));
    expect(isRunning(pid)).toBe(true);
    demo.child.kill("SIGTERM");
    expect(await demo.exited).toEqual({ code: 143, signal: null });
    await lost;
    await expect.poll(() => isRunning(pid), soon).toBe(false);
  });

  test("told to ignore SIGTERM, or hanging, it still leaves when stdin ends", async () => {
    const { demo, session } = await begin();
    await session.prompt("@ignore-sigterm");
    demo.child.kill("SIGTERM");
    const hanging = session.prompt("@say before\n@hang\n@say after").then(
      () => "answered",
      () => "lost",
    );
    await session.heard("before");
    await session.cancel();
    const other = await demo.newSession(newDirectory());
    expect(await other.say("@sleep 50\n@say alive"), "SIGTERM and cancel had their time").toBe("alive");
    expect(session.text()).toBe("before");
    demo.child.stdin?.end();
    expect(await demo.exited).toEqual({ code: 0, signal: null });
    expect(await hanging).toBe("lost");
  });

  test("@kill", async () => {
    const { demo, session } = await begin();
    await expect(session.prompt("@kill")).rejects.toThrow();
    expect(await demo.exited).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("@exit answers first, and a daemon stays behind", async () => {
    const { demo, session } = await begin();
    expect(await session.prompt("@exit\n@daemon")).toMatchObject({ stopReason: "end_turn" });
    expect(await demo.exited).toEqual({ code: 0, signal: null });
    const pid = Number(/^daemon pid (\d+)$/.exec(session.text())?.[1]);
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
    expect(Number(stat[5]), "the leader of a session of its own").toBe(pid);
    process.kill(pid, "SIGKILL");
  });
});
