import { describe, expect, test } from "vitest";
import {
  agent,
  answer,
  asks,
  ends,
  notify,
  openCodex,
  prompt,
  resultFor,
} from "../../../../test/support/codex-agent.ts";
import type { Answer } from "../../../contract/commands.ts";

const asking = (...messages: object[]) =>
  agent(({ method }, agent) => method === "turn/start" && agent.say(...messages));
const request = (method: string, params: object) => ({ id: 0, ...notify(method, params) });

describe("requests", () => {
  const decisions: [string, Answer, object][] = [
    ["accept", { optionId: "accept" }, { outcome: "allowed", optionId: "accept" }],
    ["acceptForSession", { optionId: "acceptForSession" }, { outcome: "allowed", optionId: "acceptForSession" }],
    ["decline", { optionId: "decline" }, { outcome: "denied", optionId: "decline" }],
    ["cancel", { optionId: "cancel" }, { outcome: "denied", optionId: "cancel" }],
    ["decline", { decline: true }, { outcome: "denied", optionId: "decline" }],
  ];
  test.each(decisions)("a command: %s %j", async (decision, given, outcome) => {
    const script = asking(asks(0));
    const { session, events } = await openCodex(script);
    await session.send(prompt("hi"));
    const { pendingId } = await events.until("permission_request");
    await session.send(answer(pendingId, given));
    expect(await resultFor(script, 0)).toEqual({ decision });
    expect(await events.until("request_resolved")).toMatchObject({ pendingId, by: "person", ...outcome });
  });

  test("why it was denied is said into the turn, before the answer lets the model go on", async () => {
    const script = asking(asks(0));
    const { session, events } = await openCodex(script);
    await session.send(prompt("hi"));
    const { pendingId } = await events.until("permission_request");
    await session.send(answer(pendingId, { optionId: "decline", reason: "not on my watch" }));
    await resultFor(script, 0);
    const [steer, reply] = script.heard.slice(-2);
    expect(steer).toMatchObject({
      method: "turn/steer",
      params: { expectedTurnId: "turn-1", input: [{ text: "This was denied: not on my watch" }] },
    });
    expect(reply).toEqual({ id: 0, result: { decision: "decline" } });
  });

  test("two at once are answered out of order, and codex' receipts change nothing", async () => {
    const script = asking(asks(0), asks(1));
    const { session, events } = await openCodex(script);
    await session.send(prompt("hi"));
    await events.until("permission_request");
    await events.until("permission_request");
    await session.send(answer("p1", { optionId: "accept" }));
    await session.send(answer("p0", { optionId: "decline" }));
    script.say(notify("serverRequest/resolved", { requestId: 1 }), notify("serverRequest/resolved", { requestId: 0 }));
    script.say(ends("turn-1"));
    await events.until("complete");
    const resolved = events.seen.flatMap((event) =>
      event.type === "request_resolved" ? [`${event.pendingId} ${event.outcome}`] : [],
    );
    expect(resolved).toEqual(["p1 allowed", "p0 denied"]);
  });

  test("an interrupt takes the request with it, though codex says so too late; an answer after that is late", async () => {
    const script = agent(({ method }, agent, turn) => {
      if (method === "turn/start") agent.say(asks(0));
      if (method !== "turn/interrupt") return;
      agent.say(ends(turn, "interrupted"), notify("serverRequest/resolved", { requestId: 0 }));
    });
    const { session, events } = await openCodex(script);
    await session.send(prompt("hi"));
    await events.until("permission_request");
    await session.send({ type: "interrupt" });
    expect(await events.until("request_resolved")).toMatchObject({
      pendingId: "p0",
      outcome: "cancelled",
      by: "agent",
    });
    expect(await events.until("complete")).toMatchObject({ outcome: "interrupted" });
    await expect(session.send(answer("p0", { optionId: "accept" }))).rejects.toMatchObject({
      code: "request.resolved",
    });
    await expect(session.send(answer("p7", { optionId: "accept" }))).rejects.toMatchObject({
      code: "request.not_found",
    });
    await session.close("done");
    expect((await events.rest()).map((event) => event.type)).not.toContain("request_resolved");
  });

  test("codex takes a request back", async () => {
    const script = asking(asks(0), notify("serverRequest/resolved", { requestId: 0 }));
    const { session, events } = await openCodex(script);
    await session.send(prompt("hi"));
    expect(await events.until("request_resolved")).toMatchObject({
      pendingId: "p0",
      outcome: "cancelled",
      by: "agent",
    });
  });

  test("a change to files is shown with its diff, which came before", async () => {
    const change = { path: "/w/a", kind: { type: "add" }, diff: "one\n" };
    const item = { id: "call", type: "fileChange", changes: [change], status: "inProgress" };
    const script = asking(
      notify("item/started", { item }),
      request("item/fileChange/requestApproval", { itemId: "call" }),
    );
    const { session, events } = await openCodex(script);
    await session.send(prompt("hi"));
    expect(await events.until("permission_request")).toMatchObject({
      toolCallId: "call",
      permissionTitle: "Edit /w/a",
      actionType: "edit",
      actionDetails: { paths: ["/w/a"], diffs: [{ path: "/w/a", change: "create" }] },
    });
  });

  const wanted = { fileSystem: { write: ["/etc"], read: null }, network: null };
  const form = { properties: { branch: { type: "string" }, force: { type: "boolean" } } };
  const tool = { codex_approval_kind: "mcp_tool_call", persist: ["session", "always"] };
  const question = { id: "q1", question: "Which?", options: [{ label: "A" }], isOther: true };
  const others: Record<string, { asked: object; shown: object; given: Answer; result: object }> = {
    "more permissions for the turn": {
      asked: request("item/permissions/requestApproval", { permissions: wanted }),
      shown: { permissionTitle: "Grant access to /etc", actionDetails: { paths: ["/etc"] } },
      given: { optionId: "accept" },
      result: { permissions: { fileSystem: wanted.fileSystem }, scope: "turn" },
    },
    "more permissions, denied": {
      asked: request("item/permissions/requestApproval", { permissions: wanted }),
      shown: { type: "permission_request" },
      given: { optionId: "decline" },
      result: { permissions: {}, scope: "turn" },
    },
    "a tool of an MCP server, for the session": {
      asked: request("mcpServer/elicitation/request", { _meta: tool, message: "Allow ping?", requestedSchema: {} }),
      shown: { type: "permission_request", permissionTitle: "Allow ping?" },
      given: { optionId: "acceptForSession" },
      result: { action: "accept", content: {}, _meta: { persist: "session" } },
    },
    "a connection": {
      asked: asks(0, { networkApprovalContext: { host: "x.test", protocol: "https" } }),
      shown: { actionType: "fetch", actionDetails: { url: "https://x.test" } },
      given: { optionId: "accept" },
      result: { decision: "accept" },
    },
    questions: {
      asked: request("item/tool/requestUserInput", { itemId: "call", questions: [question] }),
      shown: {
        type: "question_request",
        questions: [{ id: "q1", text: "Which?", answer: "choice", allowOther: true }],
      },
      given: { answers: { q1: ["A"] } },
      result: { answers: { q1: { answers: ["A"] } } },
    },
    "questions that nobody answers": {
      asked: request("item/tool/requestUserInput", { questions: [question] }),
      shown: { type: "question_request" },
      given: { decline: true },
      result: { answers: {} },
    },
    "a form of an MCP server": {
      asked: request("mcpServer/elicitation/request", { message: "Where?", requestedSchema: form }),
      shown: { type: "question_request", message: "Where?" },
      given: { answers: { branch: ["main"], force: ["yes"] } },
      result: { action: "accept", content: { branch: "main", force: true }, _meta: null },
    },
  };
  test.each(Object.entries(others))("%s", async (_, { asked, shown, given, result }) => {
    const script = asking(asked);
    const { session, events } = await openCodex(script);
    await session.send(prompt("hi"));
    await events.until("turn_started");
    const type = "answers" in given || "decline" in given ? "question_request" : "permission_request";
    expect(await events.until(type)).toMatchObject(shown);
    await session.send(answer("p0", given));
    expect(await resultFor(script, 0)).toEqual(result);
    await events.until("request_resolved");
  });

  test.each(["item/tool/call", "telepathy/ask"])("%s is refused, so that codex does not wait", async (method) => {
    const script = asking(request(method, {}));
    const { session } = await openCodex(script);
    await session.send(prompt("hi"));
    const reply = await script.hears((message) => message.id === 0 && message.method === undefined);
    expect(reply).toMatchObject({ error: { code: -32601 } });
  });
});
