import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EventReader, openOptions, ScriptedAgent } from "../../../../test/support/scripted-agent.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { expectSound, translateAll } from "../../../../test/support/transcript.ts";
import type { AppError } from "../../../contract/errors.ts";
import { AgentEvent } from "../../../contract/events.ts";
import type { Session } from "../../../contract/sessions/session.ts";
import { startLocal } from "../../executors/local.ts";
import type { Launch, OpenOptions } from "../protocol.ts";
import type { McpMessage } from "./messages.ts";
import { mcpProtocol } from "./session.ts";
import { mcpTranslator } from "./translate.ts";

const fake = join(import.meta.dirname, "../../../../test/fakes/mcp-agent.mjs");

/** The fake agent as a real process, its output in files as in a run. */
function launchFake(): Launch {
  const folder = temporaryFolder();
  return () =>
    startLocal({
      file: process.execPath,
      args: [fake],
      cwd: folder,
      env: {},
      stdoutPath: join(folder, "stdout"),
      stderrPath: join(folder, "stderr"),
      marker: { name: "COX_RUN_ID", value: folder },
    });
}

async function talk(config: object = {}, options: Partial<OpenOptions> = {}, launch = launchFake()) {
  const full = { tool: "run", reply_tool: "reply", ...config };
  const signal = new AbortController().signal;
  const session = await mcpProtocol().open(launch, openOptions({ config: full, ...options }), signal);
  const reader = new EventReader(session);
  return {
    session,
    reader,
    async turn(prompt: string) {
      const from = reader.seen.length;
      await send(session, prompt);
      await reader.until("complete");
      return reader.seen.slice(from).map((event) => AgentEvent.parse(event));
    },
  };
}

const send = (session: Session, text: string) =>
  session.send({ type: "prompt", promptId: "p", content: [{ type: "text", text }], delivery: "queue" });
const codeOf = (error: unknown) => (error as AppError).code;

describe("an agent that is an MCP server", () => {
  test("a follow-up goes on with the conversation that the first result named", async () => {
    const chat = await talk();
    expect(await chat.turn("ahoy")).toEqual([
      { type: "turn_started", turn: "t1" },
      { type: "session_status", status: "new", sessionId: "thread-1", can: ["interrupt", "resume"] },
      { type: "message_chunk", turn: "t1", messageId: "t1.m", text: "you said ahoy (1)" },
      { type: "complete", turn: "t1", outcome: "completed", stopReason: "end_turn" },
    ]);
    const second = await chat.turn("again");
    expect(second.map((event) => event.type)).toEqual(["turn_started", "message_chunk", "complete"]);
    expect(second[1]).toMatchObject({ text: "you said again (2)" });
    await chat.session.close("done");
    expect(await chat.reader.rest()).toEqual([]);
    await expect(send(chat.session, "late").catch(codeOf)).resolves.toBe("command.unsupported");
  });

  test("without a reply tool every prompt stands alone", async () => {
    const chat = await talk({ reply_tool: undefined });
    await chat.turn("one");
    expect((await chat.turn("two")).at(-2)).toMatchObject({ text: "you said two (1)" });
    await chat.session.close("done");
  });

  test("resumes by the agent's own id", async () => {
    const chat = await talk({}, { resume: { sessionId: "thread-7" } });
    const [, status] = await chat.turn("on");
    expect(status).toMatchObject({
      type: "session_status",
      status: "resumed",
      sessionId: "thread-7",
      resumedBy: "native",
    });
    await chat.session.close("done");
  });

  test("progress is shown, a log line is a notice", async () => {
    const chat = await talk();
    expect((await chat.turn("@progress")).slice(1, 3)).toMatchObject([
      { type: "reasoning", turn: "t1", text: "reading\n" },
      { type: "notice", code: "log", text: "warming up", data: { level: "info" } },
    ]);
    await chat.session.close("done");
  });

  test.each([
    ["accept", { optionId: "accept" }, "allowed", "accept approved (1)"],
    ["decline", { optionId: "decline" }, "denied", "decline denied (1)"],
    ["decline by policy", { decline: true }, "denied", "decline denied (1)"],
  ] as const)("asks for permission: %s", async (_, answer, outcome, text) => {
    const chat = await talk();
    await send(chat.session, "@permit");
    expect(await chat.reader.until("permission_request")).toMatchObject({
      pendingId: "p0",
      turn: "t1",
      permissionTitle: "Run rm?",
      actionType: "execute",
      actionDetails: { command: "rm x", cwd: "/w" },
    });
    await chat.session.send({ type: "answer", pendingId: "p0", answer });
    expect(await chat.reader.until("request_resolved")).toMatchObject({ pendingId: "p0", outcome });
    expect(await chat.reader.until("message_chunk")).toMatchObject({ text });
    const again = chat.session.send({ type: "answer", pendingId: "p0", answer });
    await expect(again.catch(codeOf)).resolves.toBe("request.not_found");
    await chat.session.close("done");
  });

  test("asks a question", async () => {
    const chat = await talk();
    await send(chat.session, "@form");
    const asked = await chat.reader.until("question_request");
    expect(asked).toMatchObject({ message: "Which?", questions: [{ id: "colour", answer: "choice" }] });
    await chat.session.send({ type: "answer", pendingId: asked.pendingId, answer: { answers: { colour: ["blue"] } } });
    expect(await chat.reader.until("request_resolved")).toMatchObject({ outcome: "answered" });
    expect(await chat.reader.until("message_chunk")).toMatchObject({
      text: expect.stringContaining('"colour":"blue"'),
    });
    await chat.session.close("done");
  });

  test("a tool error and an RPC error are failed turns, and the next one works", async () => {
    const chat = await talk();
    expect((await chat.turn("@fail")).slice(1)).toMatchObject([
      { type: "error", category: "auth", httpStatus: 401 },
      { type: "complete", outcome: "failed", reason: "unexpected status 401 Unauthorized" },
    ]);
    expect((await chat.turn("@refuse")).slice(1)).toMatchObject([
      { type: "error", message: "broken" },
      { type: "complete", turn: "t2", outcome: "failed" },
    ]);
    expect((await chat.turn("ok")).at(-1)).toMatchObject({ turn: "t3", outcome: "completed" });
    await chat.session.close("done");
  });

  test("an interrupt cancels the call, with what it asked for", async () => {
    const chat = await talk();
    await send(chat.session, "@permit");
    await chat.reader.until("permission_request");
    await chat.session.send({ type: "interrupt", turn: "t9" });
    await expect(send(chat.session, "and").catch(codeOf)).resolves.toBe("command.unsupported");
    await chat.session.send({ type: "interrupt" });
    expect(await chat.reader.until("complete")).toMatchObject({ turn: "t1", outcome: "interrupted" });
    const resolved = chat.reader.seen.filter((event) => event.type === "request_resolved");
    expect(resolved).toMatchObject([{ pendingId: "p0", outcome: "cancelled" }]);
    expect(await chat.reader.until("notice")).toMatchObject({ text: expect.stringContaining("cancelled: ") });
    expect((await chat.turn("next")).at(-1)).toMatchObject({ turn: "t2", outcome: "completed" });
    await chat.session.close("done");
  });

  test("a crash ends the turn and the session", async () => {
    const chat = await talk();
    await send(chat.session, "@crash");
    expect(await chat.reader.rest()).toMatchObject([
      { type: "turn_started" },
      {
        type: "error",
        category: "process",
        message: "the agent exited with code 3",
        stderrTail: expect.stringContaining("fell over"),
      },
      { type: "complete", turn: "t1", outcome: "failed" },
    ]);
  });

  test("closing in the middle of a turn", async () => {
    const chat = await talk();
    await send(chat.session, "@wait");
    await chat.reader.until("turn_started");
    await chat.session.close("the person left");
    expect(await chat.reader.rest()).toMatchObject([
      { type: "complete", turn: "t1", outcome: "interrupted" },
      { type: "notice" },
    ]);
  });
});

describe("what can't be opened", () => {
  test.each([
    [{ tool: "" }, {}, "config.invalid"],
    [{ tool: "fly" }, {}, "config.invalid"],
    [{ reply_tool: undefined }, { resume: { sessionId: "s" } }, "run.not_resumable"],
    [{}, { resume: { sessionId: "s", fork: true } }, "run.not_resumable"],
  ])("%j %j", async (config, options, code) => {
    await expect(talk(config, options).catch(codeOf)).resolves.toBe(code);
  });

  test("an agent that dies instead of answering says why", async () => {
    const agent = new ScriptedAgent((_, self) => self.exit(1, "no such file"));
    await expect(talk({}, {}, agent.launch)).rejects.toThrow("initialize: the agent exited with code 1: no such file");
  });
});

describe("the translator alone", () => {
  const received = (...messages: McpMessage[]) => messages.map((message) => ({ dir: "received", message }) as const);

  test("a log of the agent's side: every result with content is a turn", () => {
    const result = (id: number, text: string) => ({
      id,
      result: { content: [{ type: "text", text }, { type: "image" }] },
    });
    const events = translateAll(
      mcpTranslator,
      received({ id: 0, result: { protocolVersion: "1" } }, result(1, "a"), result(2, "b")),
    );
    expectSound(events);
    expect(events.flatMap((event) => (event.type === "message_chunk" ? [event.text] : []))).toEqual([
      "a\n[image]",
      "b\n[image]",
    ]);
  });

  test("unknown methods are counted; an answer to nothing we asked ends nothing", () => {
    const call = { dir: "sent", message: { id: 5, method: "tools/call", params: {} } } as const;
    const odd = received(
      { method: "notifications/telepathy" },
      { method: "constructor" },
      { id: 9, result: { content: [] } },
    );
    const events = translateAll(mcpTranslator, [call, ...odd]);
    expect(events.map((event) => event.type)).toEqual(["turn_started", "unmapped", "unmapped", "complete"]);
    expect(events.at(-1)).toMatchObject({ outcome: "failed" });
  });
});
