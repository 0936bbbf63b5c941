import { describe, expect, test } from "vitest";
import {
  agent,
  answer,
  asks,
  begins,
  isUser,
  openClaude,
  prompt,
  responseTo,
  stops,
  subtypeOf,
} from "../../../../../test/support/claude-agent.ts";
import type { Answer } from "../../../../contract/commands.ts";

describe("requests", () => {
  const asking = (...ids: string[]) =>
    agent((message, agent) => isUser(message) && agent.say(begins, ...ids.map((id) => asks(id))));

  const cases: Record<string, { given: Answer; response: object; outcome: object }> = {
    "allowed once": {
      given: { optionId: "allow" },
      response: { behavior: "allow", updatedInput: { command: "ls" } },
      outcome: { outcome: "allowed", optionId: "allow" },
    },
    "allowed with other arguments": {
      given: { optionId: "allow", args: { command: "ls -l" } },
      response: { behavior: "allow", updatedInput: { command: "ls -l" } },
      outcome: { outcome: "allowed", optionId: "allow" },
    },
    "allowed for the session": {
      given: { optionId: "allow_always" },
      response: { behavior: "allow", updatedPermissions: [{ type: "addRules", destination: "session" }] },
      outcome: { outcome: "allowed", optionId: "allow_always" },
    },
    denied: {
      given: { optionId: "deny", reason: "not here" },
      response: { behavior: "deny", message: "not here" },
      outcome: { outcome: "denied", optionId: "deny", reason: "not here" },
    },
    "declined without a word": {
      given: { decline: true },
      response: { behavior: "deny", message: "The user declined." },
      outcome: { outcome: "denied" },
    },
  };
  test.each(Object.entries(cases))("%s", async (_, { given, response, outcome }) => {
    const script = asking("r1");
    const { session, events } = await openClaude(script);
    await session.send(prompt("hi"));
    const { pendingId } = await events.until("permission_request");
    await session.send(answer(pendingId, given));
    expect(await responseTo(script, "r1")).toMatchObject(response);
    expect(await events.until("request_resolved")).toMatchObject({ pendingId, by: "person", ...outcome });
  });

  test("two at once are answered out of order", async () => {
    const script = asking("r1", "r2");
    const { session, events } = await openClaude(script);
    await session.send(prompt("hi"));
    await events.until("permission_request");
    await events.until("permission_request");
    await session.send(answer("r2", { optionId: "allow" }));
    await session.send(answer("r1", { optionId: "deny" }));
    expect(await events.until("request_resolved")).toMatchObject({ pendingId: "r2", outcome: "allowed" });
    expect(await events.until("request_resolved")).toMatchObject({ pendingId: "r1", outcome: "denied" });
    expect(await responseTo(script, "r1")).toMatchObject({ behavior: "deny" });
  });

  test("an interrupt takes the request with it; an answer after that is late, an unknown one is wrong", async () => {
    const script = agent((message, agent) => {
      if (isUser(message)) agent.say(begins, asks("r1"));
      if (subtypeOf(message) === "interrupt") agent.say({ type: "control_cancel_request", request_id: "r1" }, stops);
    });
    const { session, events } = await openClaude(script);
    await session.send(prompt("hi"));
    await events.until("permission_request");
    await session.send({ type: "interrupt" });
    expect(await events.until("request_resolved")).toMatchObject({ outcome: "cancelled", by: "agent" });
    await events.until("complete");
    await expect(session.send(answer("r1", { optionId: "allow" }))).rejects.toMatchObject({ code: "request.resolved" });
    await expect(session.send(answer("r7", { optionId: "allow" }))).rejects.toMatchObject({
      code: "request.not_found",
    });
  });

  test("a question is answered by its text", async () => {
    const questions = [{ question: "Which?", multiSelect: true, options: [{ label: "A" }, { label: "B" }] }];
    const script = agent((message, agent) => {
      if (isUser(message)) agent.say(begins, asks("r1", { tool_name: "AskUserQuestion", input: { questions } }));
    });
    const { session, events } = await openClaude(script);
    await session.send(prompt("hi"));
    const request = await events.until("question_request");
    expect(request.questions).toMatchObject([{ id: "q1", text: "Which?", answer: "choices" }]);
    await session.send(answer("r1", { answers: { q1: ["A", "B"] } }));
    expect(await responseTo(script, "r1")).toEqual({
      behavior: "allow",
      updatedInput: { questions, answers: { "Which?": "A, B" } },
    });
  });

  test.each([
    ["hook_callback", { subtype: "success", request_id: "r1", response: {} }],
    ["mcp_message", { subtype: "error", request_id: "r1" }],
    ["telepathy", { subtype: "error", request_id: "r1" }],
  ])("%s needs no person", async (subtype, response) => {
    const script = agent((message, agent) => {
      if (isUser(message)) agent.say({ type: "control_request", request_id: "r1", request: { subtype } });
    });
    const { session } = await openClaude(script);
    await session.send(prompt("hi"));
    expect(await script.hears((message) => message.type === "control_response")).toMatchObject({ response });
  });
});
