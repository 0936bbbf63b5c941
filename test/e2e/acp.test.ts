import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  type ClientContext,
  client,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { finished, type Scene, scene, until } from "../support/cox.ts";

interface Editor {
  made: Scene;
  child: ChildProcess;
  agent: ClientContext;
  updates: SessionUpdate[];
  asked: RequestPermissionRequest[];
  text(): string;
  /** Ends the connection, and waits until nothing of it is left. */
  quit(): Promise<void>;
}

/** The official client in front of `cox acp`. `allow`: what the person clicks; nothing leaves the question open. */
function editor(allow?: string, made: Scene = scene()): Editor {
  const child = made.start(["acp", "--agent", "demo"]);
  const ended = finished(child);
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const { agent } = client({ name: "editor" })
    .onRequest("session/request_permission", ({ params }) => {
      asked.push(params);
      if (allow === undefined) return new Promise(() => {});
      return { outcome: { outcome: "selected", optionId: allow } };
    })
    .onRequest("elicitation/create", () => ({ action: "accept", content: { [questionId]: "blue" } }))
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .connect(
      ndJsonStream(
        Writable.toWeb(child.stdin as Writable),
        Readable.toWeb(child.stdout as Readable) as ReadableStream<Uint8Array>,
      ),
    );
  const quit = async () => {
    child.stdin?.end();
    await ended;
    await until(() => readdirSync(join(made.home, "hosts")).every((name) => !name.endsWith(".json")));
  };
  onTestFinished(() => void child.kill());
  const text = () =>
    updates
      .map((update) =>
        update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "",
      )
      .join("");
  return { made, child, agent, updates, asked, text, quit };
}

const questionId = "answer";
const initialize = (agent: ClientContext) =>
  agent.request("initialize", { protocolVersion: 1, clientCapabilities: { elicitation: { form: {} } } });
const prompt = (words: string) => [{ type: "text" as const, text: words }];

test("an editor that quits while a conversation begins leaves neither a process nor a run", async () => {
  const made = scene();
  const child = made.start(["acp", "--agent", "demo"]);
  const ended = finished(child);
  onTestFinished(() => void child.kill("SIGKILL"));
  const say = (id: number, method: string, params: object) =>
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  let answered = "";
  child.stdout?.on("data", (chunk) => {
    answered += String(chunk);
  });
  say(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
  await until(() => answered.includes('"id":1'));
  say(2, "session/new", { cwd: made.workspace, mcpServers: [] });
  child.stdin?.end();
  expect((await ended).code).toBe(0);
  await until(() => made.runs().every(({ info }) => info?.status !== "running"));
});

test("a conversation in which nothing was said leaves nothing", async () => {
  const { made, agent, quit } = editor();
  await initialize(agent);
  await agent.request("session/new", { cwd: made.workspace, mcpServers: [] });
  await quit();
  expect(made.runs()).toEqual([]);
  expect((await made.cox(["ls", "--json"])).stdout).toBe("");
  expect((await made.cox(["task", "ls", "--json"])).stdout).toBe("");
});

describe("cox acp", () => {
  test("is an agent: turns, tools with permission, options, questions; each conversation is a run", async () => {
    const { made, agent, updates, asked, text, quit } = editor("allow-once");
    expect(await initialize(agent)).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
    const { sessionId, configOptions, modes } = await agent.request("session/new", {
      cwd: made.workspace,
      mcpServers: [],
    });
    expect(configOptions?.map(({ id }) => id)).toEqual(["mode", "model"]);
    expect(modes?.currentModeId).toBe("default");
    expect(await agent.request("session/prompt", { sessionId, prompt: prompt("@say hello\n@run echo yes") })).toEqual({
      stopReason: "end_turn",
    });
    await until(() => text() === "hello");
    expect(asked).toMatchObject([{ sessionId, toolCall: { title: "echo yes", kind: "execute" } }]);
    const ends = updates.filter(
      (update) => update.sessionUpdate === "tool_call_update" && update.status === "completed",
    );
    expect(ends).toHaveLength(1);
    await agent.request("session/set_config_option", { sessionId, configId: "model", value: "demo-smart" });
    await agent.request("session/prompt", { sessionId, prompt: prompt("@model\n@question Which? | red | blue") });
    await until(() => text().includes("demo-smart") && text().includes("blue"));
    const { stdout } = await made.cox(["ls", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ run_id: sessionId, agent: "demo" });
    await quit();
  });

  test("a cancelled turn says so, and the next one works", async () => {
    const { made, agent, text, quit } = editor();
    await initialize(agent);
    const { sessionId } = await agent.request("session/new", { cwd: made.workspace, mcpServers: [] });
    const turn = agent.request("session/prompt", { sessionId, prompt: prompt("@slow 500 50") });
    await until(() => text().includes("tick 1"));
    await agent.notify("session/cancel", { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(await agent.request("session/prompt", { sessionId, prompt: prompt("@say again") })).toEqual({
      stopReason: "end_turn",
    });
    await until(() => text().includes("again"));
    await quit();
  });

  test("a request that the editor leaves open is answered from the inbox", async () => {
    const { made, agent, asked, quit } = editor();
    await initialize(agent);
    const { sessionId } = await agent.request("session/new", { cwd: made.workspace, mcpServers: [] });
    const turn = agent.request("session/prompt", { sessionId, prompt: prompt("@permission May I?") });
    await until(() => asked.length === 1);
    expect((await made.cox(["answer", "p0", "allow"])).code).toBe(0);
    expect(await turn).toEqual({ stopReason: "end_turn" });
    await quit();
  });

  test("a conversation is loaded again by another editor, with all that was said, and goes on", async () => {
    const first = editor("allow-once");
    await initialize(first.agent);
    const { sessionId } = await first.agent.request("session/new", { cwd: first.made.workspace, mcpServers: [] });
    await first.agent.request("session/prompt", { sessionId, prompt: prompt("@say remember me") });
    await first.quit();
    const second = editor("allow-once", first.made);
    await initialize(second.agent);
    await second.agent.request("session/load", { sessionId, cwd: first.made.workspace, mcpServers: [] });
    await until(() => second.text().includes("remember me"));
    expect(second.updates.some(({ sessionUpdate }) => sessionUpdate === "user_message_chunk")).toBe(true);
    expect(await second.agent.request("session/prompt", { sessionId, prompt: prompt("@memory") })).toEqual({
      stopReason: "end_turn",
    });
    await until(() => second.text().includes("@say remember me"));
    const unknown = { sessionId: "nobody", cwd: first.made.workspace, mcpServers: [] };
    await expect(second.agent.request("session/load", unknown)).rejects.toThrow();
    await second.quit();
  });

  test("a turn that fails is an error with the reason; a crash of the agent too", async () => {
    const { made, agent, quit } = editor();
    await initialize(agent);
    const { sessionId } = await agent.request("session/new", { cwd: made.workspace, mcpServers: [] });
    const failing = agent.request("session/prompt", { sessionId, prompt: prompt("@error auth") });
    await expect(failing).rejects.toThrow(/auth|log in|key/i);
    const crashing = agent.request("session/prompt", { sessionId, prompt: prompt("@crash 3") });
    await expect(crashing).rejects.toThrow();
    await quit();
  });
});
