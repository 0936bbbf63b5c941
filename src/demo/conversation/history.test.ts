import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { History, replay, textContent } from "./history.ts";

const said = (text: string, messageId: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  messageId,
});

test("chunks of one message become one entry, and a tool ends up as it ended", () => {
  const history = new History();
  history.add({ sessionUpdate: "user_message_chunk", content: { type: "text", text: "hello" }, messageId: "u" });
  history.add(said("Hel", "a"));
  history.add(said("lo", "a"));
  history.add(said("again", "b"));
  history.add({ sessionUpdate: "tool_call", toolCallId: "t", title: "ls", name: "run", kind: "execute" });
  history.add({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "in_progress" });
  history.add({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "failed", content: [textContent("no")] });
  history.add({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } });

  expect(history.prompts()).toEqual(["hello"]);
  expect(history.entries.map(replay)).toEqual([
    { sessionUpdate: "user_message_chunk", content: { type: "text", text: "hello" }, messageId: "u" },
    said("Hello", "a"),
    said("again", "b"),
    {
      sessionUpdate: "tool_call",
      toolCallId: "t",
      title: "ls",
      name: "run",
      kind: "execute",
      status: "failed",
      content: [textContent("no")],
    },
  ]);
});

test("a flood is cut", () => {
  const history = new History();
  for (let n = 0; n < 100; n += 1) history.add(said("x".repeat(1000), "a"));
  expect(history.entries).toHaveLength(1);
  expect(history.entries[0]?.text).toHaveLength(16 * 1024);
});
