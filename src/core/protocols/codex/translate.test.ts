import { describe, expect, test } from "vitest";
import { last, textOf, turnsOf, typesOf } from "../../../../test/support/events.ts";
import {
  expectGolden,
  expectSound,
  readTranscript,
  transcriptNames,
  translateAll,
} from "../../../../test/support/transcript.ts";
import type { Frame } from "../../../contract/sessions/session.ts";
import { type CodexMessage, DEADLINE_ID, wireTypes } from "./messages.ts";
import { codexTranslator } from "./translate.ts";

const received = (message: CodexMessage) => ({ dir: "received", message }) as const;
const sent = (message: CodexMessage) => ({ dir: "sent", message }) as const;
const notify = (method: string, params: object = {}) => received({ method, params: { threadId: "th", ...params } });
const events = (frames: Frame<CodexMessage>[]) => translateAll(codexTranslator, frames);

const opened = [
  sent({ id: 1, method: "thread/start", params: {} }),
  received({
    id: 1,
    result: { thread: { id: "th", cliVersion: "0.166.0" }, model: "gpt", approvalPolicy: "untrusted" },
  }),
];
const start = (id: number) => sent({ id, method: "turn/start", params: { threadId: "th", input: [] } });
const startedReply = (id: number, turn: string) => received({ id, result: { turn: { id: turn } } });
const started = (turn: string) => notify("turn/started", { turn: { id: turn } });
const completed = (turn: string, fields: object = { status: "completed" }) =>
  notify("turn/completed", { turn: { id: turn, ...fields } });
const item = (phase: "started" | "completed", fields: object, thread = "th") =>
  notify(`item/${phase}`, { item: { id: "i", ...fields }, threadId: thread });
const delta = (itemId: string, text: string) => notify("item/agentMessage/delta", { itemId, delta: text });

describe("recorded sessions of the real app-server", () => {
  test.each(transcriptNames("codex-appserver"))("%s", (name) => {
    const all = events(readTranscript<CodexMessage>(name));
    expectSound(all);
    expectGolden(name, all);
  });

  test.each(transcriptNames("codex-appserver"))("%s, the agent's side alone", (name) => {
    const frames = readTranscript<CodexMessage>(name);
    const alone = events(frames.filter((frame) => frame.dir === "received"));
    expectSound(alone);
    expect(textOf(alone)).toBe(textOf(events(frames)));
  });
});

describe("the table of wire types", () => {
  const items = Object.keys(wireTypes).filter((wireType) => wireType.startsWith("item:"));
  const methods = Object.keys(wireTypes).filter((wireType) => !wireType.startsWith("item:"));

  test.each(methods)("%s is never unmapped", (method) => {
    expect(typesOf(events([notify(method, { item: { type: "agentMessage" } })]))).not.toContain("unmapped");
  });

  test.each(items)("%s is never unmapped", (wireType) => {
    const type = wireType.slice("item:".length);
    expect(typesOf(events([item("started", { type }), item("completed", { type })]))).not.toContain("unmapped");
  });

  test("what is unknown is counted, not dropped", () => {
    const all = events([
      notify("thread/telepathy"),
      item("completed", { type: "hologram" }),
      received({ id: 0, method: "x/y" }),
    ]);
    const strange = all.flatMap((event) => (event.type === "unmapped" ? [event.wireType] : []));
    expect(strange).toEqual(["thread/telepathy", "item:hologram", "x/y"]);
  });
});

describe("turns", () => {
  const failedTurn = completed("b", { status: "failed", error: { message: "no" } });
  const cases: Record<string, { frames: Frame<CodexMessage>[]; turns: string[] }> = {
    "the answer before the notification": {
      frames: [start(2), startedReply(2, "a"), started("a"), completed("a")],
      turns: ["t1", "t1 completed"],
    },
    "the notification before the answer": {
      frames: [start(2), started("a"), startedReply(2, "a"), completed("a")],
      turns: ["t1", "t1 completed"],
    },
    "a late end of an earlier turn ends nothing": {
      frames: [start(2), started("a"), completed("a"), start(3), started("b"), completed("a"), failedTurn],
      turns: ["t1", "t1 completed", "t2", "t2 failed"],
    },
    "a turn that codex refuses has failed": {
      frames: [start(2), received({ id: 2, error: { code: -32600, message: "no" } })],
      turns: ["t1", "t1 failed"],
    },
    "a new turn while the old one won't end": {
      frames: [start(2), started("a"), start(3), startedReply(3, "a"), completed("a")],
      turns: ["t1", "t1 interrupted", "t2", "t2 completed"],
    },
    "a sub-agent's turn is not ours": {
      frames: [
        start(2),
        started("a"),
        notify("turn/started", {
          threadId: "sub",
          turn: { id: "z" },
        }),
        notify("turn/completed", {
          threadId: "sub",
          turn: { id: "z" },
        }),
        completed("a"),
      ],
      turns: ["t1", "t1 completed"],
    },
    "a crash closes the open turn": { frames: [start(2), started("a")], turns: ["t1", "t1 failed"] },
    interrupted: {
      frames: [start(2), started("a"), completed("a", { status: "interrupted" })],
      turns: ["t1", "t1 interrupted"],
    },
    "interrupted by our deadline": {
      frames: [
        start(2),
        started("a"),
        sent({ id: `${DEADLINE_ID}-3`, method: "turn/interrupt", params: {} }),
        completed("a", { status: "interrupted" }),
      ],
      turns: ["t1", "t1 failed"],
    },
  };
  test.each(Object.entries(cases))("%s", (_, { frames, turns }) =>
    expect(turnsOf(events([...opened, ...frames]))).toEqual(turns),
  );

  test("a turn's usage is what the total grew by, without the cached input; a resumed total is no turn's", () => {
    const tokens = (input: number, last: number) => {
      const count = (inputTokens: number) => ({ inputTokens, cachedInputTokens: 10, outputTokens: 5 });
      return notify("thread/tokenUsage/updated", { tokenUsage: { total: count(input), last: count(last) } });
    };
    const resumed = [sent({ id: 1, method: "thread/resume", params: {} }), ...opened.slice(1)];
    const answer = item("started", { type: "agentMessage" });
    const usages = (frames: Frame<CodexMessage>[]) =>
      events(frames).flatMap((event) => (event.type === "complete" ? [event.usage?.input] : []));
    expect(usages([...opened, start(2), answer, tokens(100, 100), completed("a")])).toEqual([90]);
    expect(usages([...resumed, start(2), tokens(900, 100), answer, tokens(960, 60), completed("a")])).toEqual([60]);
  });
});

describe("how a turn fails", () => {
  const failing = (codexErrorInfo: unknown) =>
    events([
      ...opened,
      start(2),
      started("a"),
      notify("error", { willRetry: false, error: { message: "no", codexErrorInfo } }),
      completed("a", { status: "failed", error: { message: "no", codexErrorInfo } }),
    ]);
  test.each([
    ["unauthorized", "auth"],
    ["contextWindowExceeded", "context"],
    ["usageLimitExceeded", "rate_limit"],
    ["modelNotFound", "model"],
    ["serverOverloaded", "server"],
    ["internalServerError", "server"],
    ["badRequest", "other"],
    [null, "other"],
    [{ httpConnectionFailed: { httpStatusCode: 401 } }, "auth"],
    [{ responseTooManyFailedAttempts: { httpStatusCode: 429 } }, "rate_limit"],
    [{ responseStreamDisconnected: { httpStatusCode: null } }, "network"],
    [{ somethingNew: {} }, "other"],
  ])("%j is %s, told once", (info, category) => {
    const all = failing(info);
    expect(all.filter((event) => event.type === "error")).toMatchObject([{ category, turn: "t1", message: "no" }]);
    expect(last(all, "complete")).toMatchObject({ outcome: "failed", reason: "no" });
  });

  test("the API's body is not shown as it is", () => {
    const message = JSON.stringify({ error: { message: "bad input", code: "x" } });
    const all = events([start(2), notify("error", { willRetry: false, error: { message } })]);
    expect(last(all, "error")).toMatchObject({ message: "bad input" });
  });

  test("while codex retries it is a notice", () => {
    const all = events([...opened, start(2), notify("error", { willRetry: true, error: { message: "Reconnecting" } })]);
    expect(last(all, "notice")).toMatchObject({ code: "retrying", text: "Reconnecting" });
    expect(typesOf(all)).not.toContain("error");
  });
});

describe("text", () => {
  test("what was streamed is not repeated, what was not is added", () => {
    const message = (id: string, text: string) => item("completed", { id, type: "agentMessage", text });
    const all = events([...opened, delta("m1", "Hel"), message("m1", "Hello"), message("m2", "!")]);
    expect(textOf(all)).toBe("Hello!");
  });

  test("the parts of a thought are set apart", () => {
    const part = (summaryIndex: number) => notify("item/reasoning/summaryPartAdded", { itemId: "r", summaryIndex });
    const thought = (text: string) => notify("item/reasoning/summaryTextDelta", { itemId: "r", delta: text });
    const whole = item("completed", { id: "r", type: "reasoning", summary: ["a", "b"], content: [] });
    const all = events([...opened, part(0), thought("a"), part(1), thought("b"), whole]);
    const text = all.flatMap((event) => (event.type === "reasoning" ? [event.text] : [])).join("");
    expect(text).toBe("a\n\nb");
  });

  test("a sub-agent speaks under the call that started it", () => {
    const spawn = {
      id: "call",
      type: "collabAgentToolCall",
      tool: "spawnAgent",
      prompt: "look",
      receiverThreadIds: ["sub"],
    };
    const all = events([
      ...opened,
      start(2),
      item("started", spawn),
      item("completed", { type: "agentMessage", text: "found" }, "sub"),
    ]);
    expect(last(all, "tool_call")).toMatchObject({ kind: "subagent", toolTitle: "look" });
    expect(last(all, "message_chunk")).toMatchObject({ parentToolCallId: "call", text: "found" });
  });
});

test("a plan is told as it changes", () => {
  const plan = [
    { step: "one", status: "completed" },
    { step: "two", status: "inProgress" },
    { step: "three", status: "pending" },
  ];
  expect(last(events([...opened, notify("turn/plan/updated", { explanation: "why", plan })]), "plan")).toMatchObject({
    markdown: "why",
    entries: [{ status: "completed" }, { status: "in_progress" }, { text: "three", status: "pending" }],
  });
});

test("limits are told per window, when there are any", () => {
  const window = { usedPercent: 85, windowDurationMins: 300, resetsAt: 60 };
  const all = events([notify("account/rateLimits/updated", { rateLimits: { primary: window, secondary: null } })]);
  expect(all).toMatchObject([{ type: "rate_limit", status: "warning", scope: "300 min", usedPercent: 85 }]);
});
