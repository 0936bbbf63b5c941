import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { Command } from "../../contract/commands.ts";
import type { AgentEvent, EventOf } from "../../contract/events.ts";
import type { Policy, Rule } from "../../contract/requests/policy.ts";
import { Channel } from "../../lib/base/channel.ts";
import { LiveSession } from "./live-session.ts";

/** An agent under the test's control: what it is told is kept, what it says is pushed. */
function scene(policy: Policy = { default: "ask" }, options: { retold?: boolean; rules?: () => Rule[] } = {}) {
  const says = new Channel<AgentEvent>();
  const told: Command[] = [];
  const clock = new FakeClock();
  const session = new LiveSession(
    {
      events: says,
      send: async (command) => {
        told.push(command);
        if (command.type === "answer") says.push(resolved(command.pendingId));
      },
      close: async () => says.end(),
    },
    { policy, clock, silenceMs: 60_000, ...options },
  );
  const heard: AgentEvent[] = [];
  void (async () => {
    for await (const event of session.events) heard.push(event);
  })();
  const say = async (...events: AgentEvent[]) => {
    for (const event of events) says.push(event);
    await settle();
  };
  return { session, told, heard, clock, say };
}

const rule: Rule = {
  id: "r-1",
  decision: "allow",
  kind: "execute",
  match: "rm -rf /",
  project: "",
  agent: "",
  created: "",
  by: "ada",
};
const settle = () => new Promise((resolve) => setImmediate(resolve));
const resolved = (pendingId: string): AgentEvent => ({
  type: "request_resolved",
  pendingId,
  outcome: "allowed",
  by: "person",
});
const prompt = (promptId: string): Command => ({
  type: "prompt",
  promptId,
  content: [{ type: "text", text: promptId }],
  delivery: "queue",
});
const begin = (turn: string): AgentEvent => ({ type: "turn_started", turn });
const end = (turn: string): EventOf<"complete"> => ({ type: "complete", turn, outcome: "completed" });
const ask = (pendingId: string): AgentEvent => ({
  type: "permission_request",
  pendingId,
  permissionTitle: "rm -rf /",
  source: "protocol",
  actionType: "execute",
  actionDetails: { command: "rm -rf /" },
  permissionOptions: [
    { id: "yes", label: "Yes", kind: "allow_once" },
    { id: "ever", label: "Always", kind: "allow_always" },
    { id: "no", label: "No", kind: "reject_once" },
  ],
});

describe("prompts", () => {
  test("one at a time; what comes meanwhile waits in order", async () => {
    const { session, told, heard, say } = scene();
    await session.send(prompt("a"));
    await session.send(prompt("b"));
    await session.send(prompt("c"));
    await say(begin("t1"));
    expect(told.map((command) => command.type === "prompt" && command.promptId)).toEqual(["a"]);
    await say(end("t1"));
    expect(told.map((command) => command.type === "prompt" && command.promptId)).toEqual(["a", "b"]);
    expect(heard.findLast((event) => event.type === "prompt_queue")).toMatchObject({ prompts: [{ promptId: "c" }] });
  });

  test("the queue can be reordered, edited and shortened", async () => {
    const { session, heard } = scene();
    for (const id of ["a", "b", "c", "d"]) await session.send(prompt(id));
    const content = [{ type: "text", text: "better" } as const];
    await session.send({ type: "edit_queue", promptIds: ["d", "b"], edited: { promptId: "b", content } });
    await settle();
    const queue = heard.findLast((event) => event.type === "prompt_queue");
    expect(queue).toMatchObject({ prompts: [{ promptId: "d" }, { promptId: "b", content }] });
    await expect(session.send({ type: "edit_queue", promptIds: ["c"] })).rejects.toMatchObject({
      code: "request.not_found",
    });
  });
});

describe("an interrupt", () => {
  test("that the agent ignores is released after 3 s, and its late end ends nothing", async () => {
    const { session, heard, clock, say } = scene();
    await session.send(prompt("a"));
    await say(begin("t1"));
    await session.send({ type: "interrupt" });
    clock.advance(2999);
    await settle();
    expect(heard.some((event) => event.type === "complete")).toBe(false);
    clock.advance(1);
    await settle();
    expect(heard.findLast((event) => event.type === "complete")).toMatchObject({ turn: "t1", outcome: "interrupted" });
    await session.send(prompt("b"));
    await say(begin("t2"), end("t1"));
    expect(heard.filter((event) => event.type === "complete")).toHaveLength(1);
    await say(end("t2"));
    expect(heard.filter((event) => event.type === "complete")).toHaveLength(2);
  });

  test.each<Partial<EventOf<"complete">>>([
    { outcome: "completed", stopReason: "end_turn" },
    { outcome: "failed", reason: "429" },
    { outcome: "interrupted", stopReason: "cancelled" },
  ])("that the agent answers with %j has interrupted its turn, and no other", async (as) => {
    const { session, heard, say } = scene();
    await session.send(prompt("a"));
    await say(begin("t1"));
    await session.send({ type: "interrupt" });
    await say({ ...end("t1"), ...as });
    await session.send(prompt("b"));
    await say(begin("t2"), end("t2"));
    expect(heard.filter((event) => event.type === "complete")).toMatchObject([
      { turn: "t1", outcome: "interrupted", stopReason: "cancelled" },
      { turn: "t2", outcome: "completed" },
    ]);
  });

  test("of a turn that the agent has not begun yet reaches it when it does", async () => {
    const { session, told, say } = scene();
    await session.send(prompt("a"));
    await session.send({ type: "interrupt" });
    expect(told).not.toContainEqual(expect.objectContaining({ type: "interrupt" }));
    await say(begin("t1"));
    expect(told.at(-1)).toEqual({ type: "interrupt", turn: "t1" });
  });

  test("between turns is nothing", async () => {
    const { session, told } = scene();
    await session.send({ type: "interrupt" });
    expect(told).toEqual([]);
  });
});

test("a conversation that was told again is resumed, and says how", async () => {
  const { heard, say } = scene(undefined, { retold: true });
  await say({ type: "session_status", status: "new", sessionId: "s2" });
  expect(heard).toEqual([{ type: "session_status", status: "resumed", sessionId: "s2", resumedBy: "context" }]);
});

describe("an agent that says nothing", () => {
  test("has failed, and whatever it does then ends the turn once", async () => {
    const { session, told, heard, clock, say } = scene();
    await session.send(prompt("a"));
    await say(begin("t1"));
    clock.advance(60_000);
    await settle();
    expect(heard.at(-1)).toMatchObject({ type: "error", category: "network", turn: "t1" });
    expect(told.at(-1)).toEqual({ type: "interrupt", turn: "t1" });
    await say({ type: "complete", turn: "t1", outcome: "interrupted" });
    clock.advance(3000);
    await settle();
    const ends = heard.filter((event) => event.type === "complete");
    expect(ends).toMatchObject([
      { outcome: "failed", reason: expect.stringContaining("no word from the agent for 60 s") },
    ]);
  });

  test("and ignores the interrupt is released, then the next prompt goes out", async () => {
    const { session, told, heard, clock, say } = scene();
    await session.send(prompt("a"));
    await say(begin("t1"));
    await session.send(prompt("b"));
    clock.advance(60_000);
    clock.advance(3000);
    await settle();
    expect(heard.findLast((event) => event.type === "complete")).toMatchObject({ turn: "t1", outcome: "failed" });
    expect(told.at(-1)).toMatchObject({ type: "prompt", promptId: "b" });
    await say(begin("t2"), end("t2"));
    expect(heard.filter((event) => event.type === "complete")).toMatchObject([
      {},
      { turn: "t2", outcome: "completed" },
    ]);
  });
});

describe("a request", () => {
  test("is answered once; the second answer says who and when", async () => {
    const { session, told, heard, say } = scene();
    await session.send(prompt("a"));
    await say(begin("t1"), ask("6f0c8a52-0a6f"));
    await session.send({ type: "answer", pendingId: "p0", answer: { optionId: "yes" }, by: "ann" });
    expect(told.at(-1)).toMatchObject({ type: "answer", pendingId: "6f0c8a52-0a6f" });
    const second = session.send({ type: "answer", pendingId: "p0", answer: { optionId: "no" }, by: "bob" });
    await expect(second).rejects.toMatchObject({ code: "request.resolved", details: { who: "ann" } });
    await settle();
    expect(heard.findLast((event) => event.type === "request_resolved")).toMatchObject({
      pendingId: "p0",
      by: "person",
      who: "ann",
    });
  });

  test("expires when its agent said so; a late answer is told, and the agent's own word changes nothing", async () => {
    const { session, heard, clock, say } = scene();
    const expiresAt = new Date(clock.now() + 5000).toISOString();
    await say(begin("t1"), { ...(ask("p") as Extract<AgentEvent, { type: "permission_request" }>), expiresAt });
    clock.advance(5000);
    await settle();
    expect(heard.at(-1)).toMatchObject({ type: "request_resolved", outcome: "expired", by: "agent" });
    const late = session.send({ type: "answer", pendingId: "p0", answer: { optionId: "yes" } });
    await expect(late).rejects.toMatchObject({ code: "request.resolved", details: { by: "agent" } });
    await say(resolved("p"));
    expect(heard.filter(({ type }) => type === "request_resolved")).toHaveLength(1);
  });

  test("that a stored rule decides is decided by that rule", async () => {
    const rules = () => [{ ...rule, decision: "allow" as const }];
    const { told, heard, say } = scene({ default: "ask", unattended: "nobody" }, { rules });
    await say(begin("t1"), ask("p"));
    expect(told.at(-1)).toMatchObject({ type: "answer", pendingId: "p", answer: { optionId: "yes" } });
    expect(heard.at(-1)).toMatchObject({ type: "request_resolved", by: "rule", who: "r-1" });
  });

  test.each<[string, Policy, Rule[]]>([
    ["person", { default: "ask" }, []],
    ["policy", { default: "allow" }, []],
    ["policy", { default: "ask", unattended: "nobody is there" }, []],
    ["rule", { default: "ask" }, [rule]],
  ])("says from the beginning that it is decided by: %s", async (decider, policy, rules) => {
    const { say, heard } = scene(policy, { rules: () => rules });
    await say(begin("t1"), ask("a"));
    expect(heard.find(({ type }) => type === "permission_request")).toMatchObject({ pendingId: "p0", decider });
  });

  test("an option that isn't offered changes nothing", async () => {
    const { session, told, say } = scene();
    await session.send(prompt("a"));
    await say(begin("t1"), ask("p0"));
    const wrong = session.send({ type: "answer", pendingId: "p0", answer: { optionId: "maybe" } });
    await expect(wrong).rejects.toThrow("no option maybe; offered: yes, ever, no");
    expect(told.filter((command) => command.type === "answer")).toEqual([]);
  });

  test("always holds for the same action, in this conversation", async () => {
    const { session, told, heard, say } = scene();
    await session.send(prompt("a"));
    await say(begin("t1"), ask("p0"));
    await session.send({ type: "answer", pendingId: "p0", answer: { optionId: "ever" }, by: "ann" });
    await say(ask("p1"));
    expect(told.at(-1)).toMatchObject({ type: "answer", pendingId: "p1", answer: { optionId: "yes" } });
    expect(heard.findLast((event) => event.type === "request_resolved")).toMatchObject({ by: "policy" });
  });

  test.each([
    ["allow", { default: "allow" } as const, { optionId: "yes" }],
    ["deny", { default: "deny" } as const, { optionId: "no", reason: "the policy of this run denies it" }],
    [
      "nobody to ask",
      { default: "ask", unattended: "no terminal" } as const,
      { optionId: "no", reason: "no terminal" },
    ],
    ["per kind", { default: "deny", kinds: { execute: "allow" } } as const, { optionId: "yes" }],
  ])("policy %s decides at once", async (_, policy, answer) => {
    const { session, told, say } = scene(policy);
    await session.send(prompt("a"));
    await say(begin("t1"), ask("p0"));
    expect(told.at(-1)).toEqual({ type: "answer", pendingId: "p0", answer });
  });
});
