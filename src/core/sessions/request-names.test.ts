import { expect, test } from "vitest";
import type { AgentEvent } from "../../contract/events.ts";
import { RequestNames } from "./request-names.ts";

const UUID = "6f0c8a52-0a6f-4c0e-9a59-3a6d2f1b7c11";
const ask = (pendingId: string): AgentEvent => ({ type: "question_request", pendingId, questions: [] });
const done = (pendingId: string): AgentEvent => ({
  type: "request_resolved",
  pendingId,
  outcome: "answered",
  by: "person",
});

test.each<[string, AgentEvent[], string[]]>([
  ["each gets the next number", [ask(UUID), ask("7")], ["p0", "p1"]],
  ["what is resolved is resolved by our name", [ask(UUID), done(UUID)], ["p0", "p0"]],
  ["what is told twice is one request", [ask(UUID), ask(UUID)], ["p0", "p0"]],
  ["an id that is used anew is another request", [ask("1"), done("1"), ask("1"), done("1")], ["p0", "p0", "p1", "p1"]],
  ["an agent's own p0 is ours only by chance", [ask("p1"), ask("p0"), done("p0")], ["p0", "p1", "p1"]],
  ["what was never asked keeps its name", [done("x")], ["x"]],
])("%s", (_, events, expected) => {
  const names = new RequestNames();
  const open = new Set<string>();
  const heard = events.map((event) => {
    const ours = names.translate(event, (name) => open.has(name));
    if (!("pendingId" in ours)) throw new Error("no name");
    if (ours.type === "request_resolved") open.delete(ours.pendingId);
    else open.add(ours.pendingId);
    return ours.pendingId;
  });
  expect(heard).toEqual(expected);
});

test("an answer goes back by the agent's name", () => {
  const names = new RequestNames();
  names.translate(ask(UUID), () => false);
  expect(names.theirs("p0")).toBe(UUID);
});
