import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CreateElicitationRequest, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Answers,
  choose,
  initialize,
  newDirectory,
  soon,
  startDemo,
  type TestClient,
  type TestSession,
} from "../test-client.ts";

const answers: Answers = {};
const cwd = newDirectory();
let demo: TestClient;
let session: TestSession;

beforeAll(async () => {
  const permission = (request: RequestPermissionRequest) => answers.permission?.(request) ?? choose("allow-once");
  const question = (request: CreateElicitationRequest) => answers.question?.(request) ?? { action: "decline" };
  demo = startDemo({ permission, question }, { DEMO_GREETING: "ahoy" });
  await initialize(demo.agent);
  session = await demo.newSession(cwd);
});
afterAll(async () => {
  demo.child.stdin?.end();
  await demo.exited;
});

describe("talking", () => {
  test("each line is one step, in order", async () => {
    expect(await session.prompt("text\n@think hm\n@say one\nmore text\n@say two")).toMatchObject({
      stopReason: "end_turn",
    });
    expect(session.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      "agent_thought_chunk",
      "agent_message_chunk",
      "agent_message_chunk",
    ]);
    expect(session.text()).toBe("onetwo");
  });

  test("a plan", async () => {
    await session.prompt("@plan look; think; write");
    expect(session.of("plan")[0]?.entries.map(({ content, status }) => [content, status])).toEqual([
      ["look", "in_progress"],
      ["think", "pending"],
      ["write", "pending"],
    ]);
  });

  test("what it knows of itself and its surroundings", async () => {
    expect(await session.say("@env DEMO_GREETING")).toBe("DEMO_GREETING=ahoy");
    expect(await session.say("@env DEMO_NOTHING")).toBe("DEMO_NOTHING is not set");
    expect(await session.say("@pwd")).toBe(`${cwd} (process: ${process.cwd()})`);
    expect(await session.say("@model")).toBe("demo-fast");
    expect(await session.say("@mode")).toBe("default");
  });

  test("images are counted", async () => {
    await session.prompt("@image", { type: "image", data: "AAAA", mimeType: "image/png" });
    expect(session.text()).toBe("images: 1");
  });

  test("usage, cost and context are what the script says", async () => {
    const other = await demo.newSession(cwd);
    const result = await other.prompt("@usage 120 34 0.5\n@context 900 1000\n@usage 7 8 0.25");
    expect(result.usage).toEqual({ inputTokens: 7, outputTokens: 8, totalTokens: 15 });
    expect(other.of("usage_update").map(({ cost }) => cost?.amount)).toEqual([0.5, 0.5, 0.75]);
    expect(other.of("usage_update")[1]).toMatchObject({ used: 900, size: 1000 });
  });

  test("@memory says what was asked before it", async () => {
    const other = await demo.newSession(cwd);
    await other.prompt("@say first");
    expect(await other.say("@memory")).toBe("Earlier you said:\n- @say first");
  });

  test("a misspelt or malformed step fails the prompt", async () => {
    await expect(session.prompt("@say fine\n@sya oops")).rejects.toMatchObject({ code: -32602 });
    expect(session.text(), "nothing of the script ran").toBe("");
    await expect(session.prompt("@slow many 1")).rejects.toMatchObject({ code: -32602 });
    expect(await session.say("@say still here")).toBe("still here");
  });
});

describe("tools", () => {
  test("a generic one", async () => {
    await session.prompt("@tool Frobnicate Turn the knob");
    expect(session.of("tool_call")).toMatchObject([{ name: "Frobnicate", title: "Turn the knob", status: "pending" }]);
    expect(session.of("tool_call_update").map(({ status }) => status)).toEqual(["in_progress", "completed"]);
  });

  test("reading a file that is there, and one that is not", async () => {
    writeFileSync(join(cwd, "poem.txt"), "roses\n");
    await session.prompt("@read poem.txt\n@read no-such-file");
    expect(session.of("tool_call")[0]?.locations).toEqual([{ path: join(cwd, "poem.txt"), line: 1 }]);
    const ended = session.of("tool_call_update").filter(({ status }) => status !== "in_progress");
    expect(ended).toMatchObject([{ status: "completed", rawOutput: "roses\n" }, { status: "failed" }]);
  });

  test("an edit asks and shows the difference", async () => {
    writeFileSync(join(cwd, "edit.txt"), "old\n");
    await session.prompt("@edit edit.txt new text");
    const diff = { type: "diff", path: join(cwd, "edit.txt"), oldText: "old\n", newText: "new text\n" };
    expect(session.of("tool_call")[0]?.content).toEqual([diff]);
    expect(readFileSync(join(cwd, "edit.txt"), "utf8")).toBe("new text\n");
  });

  test("a refused edit is not made", async () => {
    answers.permission = () => choose("reject-once");
    await session.prompt("@edit refused.txt text");
    expect(session.of("tool_call_update")).toMatchObject([{ status: "failed", rawOutput: "You said no." }]);
    expect(existsSync(join(cwd, "refused.txt"))).toBe(false);
    answers.permission = undefined;
  });

  test("a command's output and exit code are real", async () => {
    await session.prompt("@run echo out; echo err >&2; exit 3\n@run kill -TERM $$");
    expect(session.of("tool_call_update").filter(({ status }) => status !== "in_progress")).toMatchObject([
      { status: "failed", rawOutput: { output: "out\nerr\n", exitCode: 3 } },
      { status: "failed", rawOutput: { output: "", exitCode: 143 } },
    ]);
  });

  test("a command with a child in the background is over when the command is", async () => {
    await session.prompt("@run sleep 30 & echo $!");
    const { rawOutput } = session.of("tool_call_update").at(-1) ?? {};
    const { output } = rawOutput as { output: string };
    process.kill(Number(output), "SIGKILL"); // throws if it is not there
    expect(rawOutput).toMatchObject({ exitCode: 0 });
  });

  test("always means that nobody is asked again", async () => {
    const other = await demo.newSession(cwd);
    let asked = 0;
    answers.permission = () => {
      asked += 1;
      return choose("allow-always");
    };
    await other.prompt("@run true\n@run true\n@edit always.txt a");
    expect(asked, "once for commands, once for edits").toBe(2);
    answers.permission = undefined;
  });

  test("modes decide who is asked", async () => {
    const other = await demo.newSession(cwd);
    const asked: unknown[] = [];
    answers.permission = ({ toolCall }) => {
      asked.push(toolCall.kind);
      return choose("allow-once");
    };
    const sessionId = other.id;
    await demo.agent.request("session/set_config_option", { sessionId, configId: "mode", value: "accept-edits" });
    await other.prompt("@edit mode.txt a\n@run true");
    expect(asked.splice(0)).toEqual(["execute"]);
    await demo.agent.request("session/set_mode", { sessionId, modeId: "yolo" });
    expect(await other.say("@edit mode.txt b\n@run true\n@mode")).toBe("yolo");
    await demo.agent.request("session/set_mode", { sessionId, modeId: "plan" });
    await other.prompt("@edit mode.txt c");
    expect(other.of("tool_call_update")).toMatchObject([
      { status: "failed", rawOutput: "Plan mode: nothing is changed." },
    ]);
    expect(readFileSync(join(cwd, "mode.txt"), "utf8")).toBe("b\n");
    expect(asked).toEqual([]);
    answers.permission = undefined;
  });
});

describe("asking", () => {
  test.each(["allow-once", "allow-always", "reject-once"])("a permission, answered with %s", async (optionId) => {
    answers.permission = () => choose(optionId);
    expect(await session.say("@permission Drop the anchor")).toBe(`permission Drop the anchor: ${optionId}\n`);
    answers.permission = undefined;
  });

  test("several permissions at once, answered last first", async () => {
    const waiting: (() => void)[] = [];
    answers.permission = () =>
      new Promise((resolve) => {
        waiting.unshift(() => resolve(choose("allow-once")));
        if (waiting.length < 3) return;
        // Each answer is given once the one before was heard.
        void (async () => {
          for (const [index, answer] of waiting.entries()) {
            answer();
            await session.heard(`number ${3 - index}: allow-once`);
          }
        })();
      });
    expect(await session.say("@permissions 3")).toMatch(/number 3.*\n.*number 2.*\n.*number 1/);
    answers.permission = undefined;
  });

  test("a question with choices", async () => {
    let asked: CreateElicitationRequest | undefined;
    answers.question = (request) => {
      asked = request;
      return { action: "accept", content: { answer: "blue" } };
    };
    expect(await session.say("@question Which colour? | red | blue")).toBe("answer: blue");
    expect(asked).toMatchObject({
      sessionId: session.id,
      mode: "form",
      message: "Which colour?",
      requestedSchema: {
        properties: { answer: { type: "string", oneOf: [{ const: "red" }, { const: "blue" }] } },
        required: ["answer"],
      },
    });
    answers.question = undefined;
  });

  test("a free question, and one that is declined", async () => {
    answers.question = ({ message }) => ({ action: "accept", content: { answer: `about ${message}` } });
    expect(await session.say("@question your name")).toBe("answer: about your name");
    answers.question = undefined;
    expect(await session.say("@question your name")).toBe("answer: declined");
  });
});

describe("floods and trouble", () => {
  test("a burst comes complete and in order", async () => {
    await session.prompt("@burst 1000 20");
    const chunks = session.of("agent_message_chunk");
    expect(new Set(chunks.map(({ messageId }) => messageId)).size).toBe(1);
    const texts = chunks.map(({ content }) => (content.type === "text" ? content.text : ""));
    expect(texts.map((text) => Number.parseInt(text, 10))).toEqual(Array.from({ length: 1000 }, (_, n) => n + 1));
    expect(texts.every((text) => text.length === 20)).toBe(true);
  });

  test("a huge line has just the bytes asked for", async () => {
    await session.prompt("@huge 300000");
    const lines = demo.stdout().split("\n");
    expect(lines.filter((line) => line.length >= 100_000).map((line) => line.length)).toEqual([300_000]);
  });

  test("noise on stdout and stderr", async () => {
    await session.prompt("@raw npm warn deprecated\n@bytes 7b 00 ff 0a\n@stderr it creaks\n@say fine");
    expect(demo.stdout()).toContain("\nnpm warn deprecated\n{\u0000\u00ff\n{");
    expect(session.text()).toBe("fine");
    await expect.poll(() => demo.stderr(), soon).toContain("it creaks\n");
  });

  test("errors carry their category", async () => {
    await expect(session.prompt("@error auth")).rejects.toMatchObject({ code: -32000 });
    await expect(session.prompt("@error rate_limit")).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("429"),
      data: { errorKind: "rate_limit", httpStatus: 429 },
    });
    await expect(session.prompt("@error strange")).rejects.toMatchObject({
      code: -32603,
      data: { errorKind: "strange" },
    });
  });

  test.each(["refusal", "max_tokens", "max_turn_requests"])("a turn stops with %s", async (stopReason) => {
    expect(await session.prompt(`@stop ${stopReason}\n@say never`)).toMatchObject({ stopReason });
    expect(session.text()).toBe("");
  });
});
