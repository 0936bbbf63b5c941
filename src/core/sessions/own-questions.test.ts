import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { Command } from "../../contract/commands.ts";
import type { AgentEvent, Question } from "../../contract/events.ts";
import type { Policy } from "../../contract/requests/policy.ts";
import { Channel } from "../../lib/base/channel.ts";
import { LiveSession } from "./live-session.ts";

const colour: Question = { id: "q1", text: "Which colour?", answer: "text" };
const never = new AbortController().signal;
const begin: AgentEvent = { type: "turn_started", turn: "t1" };
const end: AgentEvent = { type: "complete", turn: "t1", outcome: "completed" };

/** A conversation with a prompt under way; the agent says what the test pushes. */
async function scene(policy: Policy = { default: "ask" }) {
  const says = new Channel<AgentEvent>();
  const told: Command[] = [];
  const session = new LiveSession(
    { events: says, send: async (command) => void told.push(command), close: async () => says.end() },
    { policy, clock: new FakeClock() },
  );
  const heard: AgentEvent[] = [];
  void (async () => {
    for await (const event of session.events) heard.push(event);
  })();
  const say = async (...events: AgentEvent[]) => {
    for (const event of events) says.push(event);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await session.send({ type: "prompt", promptId: "p", content: [{ type: "text", text: "go" }], delivery: "queue" });
  const requests = () => heard.filter(({ type }) => type === "question_request" || type === "request_resolved");
  return { session, told, heard, say, says, requests };
}

describe("a question of the run's own tools", () => {
  test("stands in the log as any other, and its answer goes to the asker, not to the agent", async () => {
    const { session, told, say, requests } = await scene();
    await say(begin);
    const asked = session.ask([colour], never);
    await session.send({ type: "answer", pendingId: "p0", answer: { answers: { q1: ["blue"] } }, by: "ann" });
    expect(await asked).toEqual({ outcome: "answered", answers: { q1: ["blue"] } });
    await say();
    expect(requests()).toEqual([
      { type: "question_request", pendingId: "p0", decider: "person", turn: "t1", questions: [colour] },
      { type: "request_resolved", pendingId: "p0", outcome: "answered", by: "person", who: "ann", reason: undefined },
    ]);
    expect(told.map(({ type }) => type)).toEqual(["prompt"]);
    const late = session.send({ type: "answer", pendingId: "p0", answer: { answers: { q1: ["red"] } } });
    await expect(late).rejects.toMatchObject({ code: "request.resolved" });
  });

  test("waits for the turn that it belongs to: tools are faster than the agent's output", async () => {
    const { session, say, requests } = await scene();
    void session.ask([colour], never);
    await say();
    expect(requests()).toEqual([]);
    await say(begin);
    expect(requests()).toMatchObject([{ type: "question_request", pendingId: "p0", turn: "t1" }]);
  });

  test("outside a turn is refused", async () => {
    const { session, say } = await scene();
    await say(begin, end);
    await expect(session.ask([colour], never)).rejects.toMatchObject({ code: "run.not_live" });
  });

  test("goes with its asker", async () => {
    const { session, say, requests } = await scene();
    await say(begin);
    const gone = new AbortController();
    const asked = session.ask([colour], gone.signal);
    gone.abort();
    expect(await asked).toMatchObject({ outcome: "cancelled" });
    await say();
    expect(requests()[1]).toMatchObject({ outcome: "cancelled", by: "agent" });
  });

  test("of an asker who left before the turn was heard of leaves no trace", async () => {
    const { session, say, requests } = await scene();
    const gone = new AbortController();
    const asked = session.ask([colour], gone.signal);
    gone.abort();
    expect(await asked).toMatchObject({ outcome: "cancelled" });
    await say(begin);
    expect(requests()).toEqual([]);
  });

  test("goes with an interrupt, which says who it was", async () => {
    const { session, say, requests } = await scene();
    await say(begin);
    const asked = session.ask([colour], never);
    await session.send({ type: "interrupt", by: "ann" });
    expect(await asked).toEqual({ outcome: "cancelled", reason: "interrupted" });
    await say();
    expect(requests()[1]).toMatchObject({ outcome: "cancelled", by: "person", who: "ann", reason: "interrupted" });
  });

  test("goes with its turn, and is resolved before the turn ends", async () => {
    const { session, say, heard } = await scene();
    await say(begin);
    const asked = session.ask([colour], never);
    await say(end);
    expect(await asked).toEqual({ outcome: "cancelled", reason: "the turn has ended" });
    expect(heard.slice(-2).map(({ type }) => type)).toEqual(["request_resolved", "complete"]);
  });

  test("goes with the conversation", async () => {
    const { session, say, says } = await scene();
    await say(begin);
    const asked = session.ask([colour], never);
    says.end();
    expect(await asked).toMatchObject({ outcome: "cancelled" });
  });

  test("is declined at once where nobody can be asked", async () => {
    const { session, say, requests } = await scene({ default: "ask", unattended: "no terminal" });
    await say(begin);
    expect(await session.ask([colour], never)).toEqual({ outcome: "declined", reason: "no terminal" });
    await say();
    expect(requests()[1]).toMatchObject({ outcome: "denied", by: "policy", reason: "no terminal" });
  });
});

describe("a permission for a tool call", () => {
  const call = (toolName: string): AgentEvent => ({
    type: "tool_call",
    toolCallId: "c1",
    toolName,
    toolTitle: "t",
    kind: "other",
    toolStatus: "pending",
  });
  const ask: AgentEvent = {
    type: "permission_request",
    pendingId: "p1",
    toolCallId: "c1",
    permissionTitle: "t",
    source: "protocol",
    actionType: "other",
    actionDetails: {},
    permissionOptions: [{ id: "yes", label: "Yes", kind: "allow_once" }],
  };

  test("names the tool, so that the run's own ones need no leave", async () => {
    const { say, told, heard } = await scene({ default: "ask", ownTools: true });
    await say(begin, call("mcp__coxswain__bus_post"), ask);
    expect(heard.at(-1)).toMatchObject({ type: "permission_request", toolName: "mcp__coxswain__bus_post" });
    expect(told.at(-1)).toMatchObject({ type: "answer", answer: { optionId: "yes" } });
  });

  test("of another tool is asked for", async () => {
    const { say, told } = await scene({ default: "ask", ownTools: true });
    await say(begin, call("mcp__coxswain__spawn_run"), ask);
    expect(told.map(({ type }) => type)).toEqual(["prompt"]);
  });
});
