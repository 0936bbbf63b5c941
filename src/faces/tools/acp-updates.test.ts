import { describe, expect, test } from "vitest";
import type { AgentEvent, EventOf } from "../../contract/events.ts";
import { answerOf, formOf } from "./acp-questions.ts";
import { askedOf, replayOf, updatesOf } from "./acp-updates.ts";

const tool = { toolCallId: "c1", toolName: "Bash", toolTitle: "ls", kind: "execute" as const };

const cases: Record<string, { event: AgentEvent; updates: object[] }> = {
  "a word": {
    event: { type: "message_chunk", messageId: "m", text: "hi" },
    updates: [{ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hi" }, messageId: "m" }],
  },
  "a thought": {
    event: { type: "reasoning", messageId: "m", text: "hm" },
    updates: [{ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" }, messageId: "m" }],
  },
  "what takes an earlier text's place": {
    event: { type: "message_chunk", messageId: "m", text: "hi", replace: true },
    updates: [],
  },
  "a tool": {
    event: { type: "tool_call", ...tool, toolStatus: "running", toolArgs: { command: "ls" } },
    updates: [
      {
        sessionUpdate: "tool_call",
        toolCallId: "c1",
        title: "ls",
        name: "Bash",
        kind: "execute",
        status: "in_progress",
        rawInput: { command: "ls" },
      },
    ],
  },
  "a tool of a kind editors don't know, with its diff": {
    event: {
      type: "tool_call",
      ...tool,
      kind: "todo",
      toolStatus: "pending",
      diffs: [{ path: "a", change: "modify", unified: "+x" }],
    },
    updates: [{ kind: "other", content: [{ type: "content", content: { text: "```diff\n+x\n```" } }] }],
  },
  "a tool that was denied": {
    event: { type: "tool_update", toolCallId: "c1", toolStatus: "denied", result: "no" },
    updates: [{ sessionUpdate: "tool_call_update", status: "failed", content: [{ content: { text: "no" } }] }],
  },
  "a result that lies in a file": {
    event: { type: "tool_update", toolCallId: "c1", result: { head: "begin", bytes: 99, sha256: "x" } },
    updates: [{ content: [{ content: { text: "begin\n… 99 bytes in all" } }] }],
  },
  "a plan": {
    event: {
      type: "plan",
      entries: [
        { text: "a", status: "in_progress", priority: "high" },
        { text: "b", status: "cancelled" },
      ],
    },
    updates: [{ sessionUpdate: "plan", entries: [{ content: "a", status: "in_progress", priority: "high" }] }],
  },
  "what can be chosen": {
    event: {
      type: "config_options",
      options: [
        { id: "m", name: "Model", category: "model", value: "a", choices: [{ value: "a", label: "A" }] },
        { id: "e", name: "Effort", category: "effort", value: true },
        { id: "x", name: "Free", category: "other", value: "text" },
      ],
    },
    updates: [
      {
        sessionUpdate: "config_option_update",
        configOptions: [
          { id: "m", type: "select", currentValue: "a", options: [{ value: "a", name: "A" }] },
          { id: "e", type: "boolean", currentValue: true, category: "thought_level" },
        ],
      },
    ],
  },
  "what only we know": { event: { type: "notice", code: "x", text: "y" }, updates: [] },
};

describe("an event, as an editor is told of it", () => {
  test.each(Object.entries(cases))("%s", (_, { event, updates }) => {
    expect(updatesOf(event)).toMatchObject(updates);
    expect(updatesOf(event)).toHaveLength(updates.length);
  });

  test("what the person said is told only when all is told again", () => {
    const event: AgentEvent = {
      type: "user_message",
      promptId: "p",
      content: [
        { type: "text", text: "look" },
        { type: "image", mimeType: "image/png", sha256: "x", name: "a.png" },
      ],
      delivery: "start",
    };
    expect(updatesOf(event)).toEqual([]);
    expect(replayOf(event)).toMatchObject([{ content: { text: "look\n[image a.png]" }, messageId: "p" }]);
  });
});

test("questions are a form, and its answers are theirs", () => {
  const request = {
    type: "question_request" as const,
    pendingId: "p",
    questions: [
      { id: "a", text: "Which?", answer: "choice" as const, choices: [{ value: "r", label: "Red" }] },
      { id: "b", text: "Some?", answer: "choices" as const, choices: [{ value: "r", label: "Red" }] },
      { id: "c", text: "How many?", answer: "number" as const },
      { id: "d", text: "Or?", answer: "choice" as const, choices: [{ value: "r", label: "Red" }], allowOther: true },
    ],
  };
  expect(formOf(request).requestedSchema.properties).toMatchObject({
    a: { type: "string", oneOf: [{ const: "r", title: "Red" }] },
    b: { type: "array" },
    c: { type: "number" },
    d: { type: "string", title: "Or?" },
  });
  expect(answerOf(request, { a: "r", b: ["r", "s"], c: 3 })).toEqual({
    answers: { a: ["r"], b: ["r", "s"], c: ["3"], d: [] },
  });
});

describe("what an editor is asked to allow", () => {
  const asked = (actionDetails: EventOf<"permission_request">["actionDetails"]) =>
    askedOf(
      {
        type: "permission_request",
        pendingId: "p0",
        permissionTitle: "Do it",
        source: "protocol",
        actionType: "execute",
        actionDetails,
        permissionOptions: [],
      },
      (body) => (typeof body === "string" ? body : "+one\n+the end"),
    );
  const texts = (details: EventOf<"permission_request">["actionDetails"]) =>
    (asked(details).content ?? []).map((part) =>
      part.type === "content" && part.content.type === "text" ? part.content.text : "",
    );

  test("is all of a command, whatever hides in it", () => {
    const command = `echo ${"x".repeat(5000)}; rm -rf /`;
    expect(texts({ command })).toEqual([`\`\`\`sh\n${command}\n\`\`\``]);
    expect(texts({ command: "ls\u001b[8m; rm" })).toEqual(["```sh\nls\\x1b[8m; rm\n```"]);
    expect(texts({ command: "a\n```\nAll is well." })).toEqual(["````sh\na\n```\nAll is well.\n````"]);
  });

  test("spells out what the eye can't see, wherever it stands", () => {
    const path = "a\u200bb";
    expect(texts({ url: path, paths: [path] })).toEqual(["a\\u{200b}b", "a\\u{200b}b"]);
    expect(texts({ diffs: [{ path, change: "modify", unified: "+x" }] })[0]).toMatch(/^a\\u\{200b\}b\n/);
  });

  test("is all of a diff, also where the event has only its beginning", () => {
    const far = { head: "+one", bytes: 99_999, sha256: "x" };
    const details = { diffs: [{ path: "a", change: "modify" as const, unified: far }] };
    expect(texts(details)).toEqual(["a\n```diff\n+one\n+the end\n```"]);
    expect(asked(details).rawInput).toMatchObject({ diffs: [{ path: "a", unified: "+one\n+the end" }] });
  });

  test("is every path", () => {
    const paths = Array.from({ length: 50 }, (_, i) => `/etc/${i}`);
    expect(texts({ paths })).toEqual([paths.join("\n")]);
  });
});
