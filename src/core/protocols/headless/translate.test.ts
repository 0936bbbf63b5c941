import { describe, expect, test } from "vitest";
import {
  expectGolden,
  expectSound,
  readTranscript,
  transcriptNames,
  translateAll,
} from "../../../../test/support/transcript.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import type { Frame } from "../../../contract/sessions/session.ts";
import { openLogReader } from "../log-reader.ts";
import type { Json } from "../read.ts";
import { codexExecTranslator } from "./codex-exec/translate.ts";
import type { Ours } from "./conversation.ts";
import { geminiTranslator } from "./gemini/translate.ts";
import { opencodeTranslator } from "./opencode/translate.ts";

const lines = (...messages: Json[]): Frame<Json>[] => messages.map((message) => ({ dir: "received", message }));
const ours = (message: Ours): Frame<Json> => ({ dir: "sent", message });

/** `gemini -o json` prints one object over many lines. */
const document = "gemini-json";
const printed = readTranscript<{ nonjson: string }>(document).map(({ message }) => message.nonjson);

describe("recorded runs of the real CLIs", () => {
  const gemini = transcriptNames("gemini-").filter((name) => !name.startsWith("gemini-acp-") && name !== document);
  const cases = [
    ...gemini.map((name) => [name, geminiTranslator] as const),
    ...transcriptNames("opencode-run-").map((name) => [name, opencodeTranslator] as const),
    ...transcriptNames("codex-exec-").map((name) => [name, codexExecTranslator] as const),
  ];

  test.each(cases)("%s", (name, translator) => {
    const events = translateAll<Json, never>(translator as never, readTranscript<Json>(name));
    expectSound(events);
    expectGolden(name, events);
  });

  test("one object at the end of a turn is all of the turn", () => {
    const events = translateAll(geminiTranslator, lines(JSON.parse(printed.join("\n"))));
    expectSound(events);
    expectGolden(document, events);
  });

  test("a saved log with such an object is read as well", async () => {
    const log = await openLogReader("gemini");
    const events = printed.flatMap((text) => log.read({ text }));
    expect(events.map(({ type }) => type)).toEqual(["turn_started", "session_status", "message_chunk", "complete"]);
    expect(log.end("the log ends here")).toEqual([]);
  });

  test("one that tells of a failure ends the turn with it", () => {
    const error = { type: "FatalTurnLimitedError", message: "Reached max session turns", code: 53 };
    const events = translateAll(geminiTranslator, lines({ session_id: "s1", error }));
    expect(events.slice(-2)).toMatchObject([
      { type: "error", message: "Reached max session turns" },
      { type: "complete", outcome: "failed", stopReason: "max_turns" },
    ]);
  });

  test("a line of another format is counted, never dropped", () => {
    const events = translateAll(geminiTranslator, lines({ nonjson: "x" }, { session_id: "s1" }, { type: "eaten" }));
    expect(events.map(({ type }) => type)).toEqual(["unmapped", "unmapped", "unmapped"]);
  });
});

describe("several turns in one log, the agent's side alone", () => {
  const both = (first: string, second: string) => [...readTranscript<Json>(first), ...readTranscript<Json>(second)];
  const ends = (events: AgentEvent[]) => events.filter((event) => event.type === "complete");

  test("gemini: one session, two turns", () => {
    const events = translateAll(geminiTranslator, both("gemini-resume-1", "gemini-resume-latest"));
    expectSound(events);
    expect(ends(events).map(({ turn, outcome }) => [turn, outcome])).toEqual([
      ["t1", "completed"],
      ["t2", "completed"],
    ]);
    expect(events.filter((event) => event.type === "session_status")).toHaveLength(1);
  });

  test("gemini: a turn whose process died is closed when the next one begins", () => {
    const events = translateAll(geminiTranslator, both("gemini-norelaunch-SIGTERM", "gemini-resume-1"));
    expectSound(events);
    expect(ends(events).map(({ turn, outcome }) => [turn, outcome])).toEqual([
      ["t1", "failed"],
      ["t2", "completed"],
    ]);
  });

  test("codex: each turn is billed its own part of the thread's usage", () => {
    const events = translateAll(codexExecTranslator, both("codex-exec-resume-1", "codex-exec-resume-2"));
    const usage = { input: 100, output: 42, cacheRead: 50, cacheWrite: 0, reasoning: 12 };
    expect(ends(events).map((event) => event.usage)).toEqual([usage, usage]);
  });

  test("codex: another thread's usage starts from zero", () => {
    const events = translateAll(codexExecTranslator, both("codex-exec-tool-full", "codex-exec-text"));
    expect(ends(events).map((event) => event.usage?.input)).toEqual([200, 100]);
  });

  test("opencode: ids stay unique, usage is each turn's own", () => {
    const events = translateAll(opencodeTranslator, both("opencode-run-think", "opencode-run-text"));
    expectSound(events);
    const usage = { input: 100, output: 42, cacheRead: 50, cacheWrite: 0, reasoning: 12 };
    expect(ends(events).map((event) => event.usage)).toEqual([usage, usage]);
  });
});

describe("a turn that we asked for", () => {
  const init = { type: "init", session_id: "s1", model: "g" };

  test("is begun once, whoever says it first", () => {
    const events = translateAll(geminiTranslator, [
      ours({ type: "turn" }),
      ...lines(init, { type: "result", status: "success" }),
    ]);
    expect(events.map((event) => event.type)).toEqual(["turn_started", "session_status", "complete"]);
  });

  test("says that the conversation was resumed, and by what", () => {
    const resume = { sessionId: "s1" };
    const events = translateAll(geminiTranslator, [ours({ type: "turn", resume }), ...lines(init)]);
    expect(events[1]).toMatchObject({ type: "session_status", status: "resumed", resumedBy: "flag", sessionId: "s1" });
  });

  test("says when the agent began another conversation instead", () => {
    const resume = { sessionId: "lost" };
    const events = translateAll(geminiTranslator, [ours({ type: "turn", resume }), ...lines(init)]);
    expect(events[1]).toMatchObject({ status: "new", sessionId: "s1" });
    expect(events[2]).toMatchObject({ type: "notice", code: "session_changed" });
  });

  test("an exit in order without a result is a failure", () => {
    const events = translateAll(geminiTranslator, [ours({ type: "turn" }), ...lines(init), ours({ type: "exit" })]);
    expect(events.slice(-2)).toMatchObject([
      { type: "error", category: "process" },
      { type: "complete", outcome: "failed", reason: "the agent ended without a result" },
    ]);
  });

  test("an interrupt closes running tools and shows no error", () => {
    const use = { type: "tool_use", tool_name: "run_shell_command", tool_id: "c1", parameters: { command: "sleep 9" } };
    const frames = [ours({ type: "turn" }), ...lines(init, use), ours({ type: "interrupt", reason: "interrupted" })];
    const events = translateAll(geminiTranslator, [...frames, ours({ type: "exit", reason: "ended by SIGTERM" })]);
    expect(events.slice(-2)).toMatchObject([
      { type: "tool_update", toolCallId: "c1", toolStatus: "cancelled" },
      { type: "complete", outcome: "interrupted", stopReason: "cancelled" },
    ]);
  });

  test("a result that was faster than the interrupt stands", () => {
    const frames = [ours({ type: "turn" }), ...lines(init), ours({ type: "interrupt", reason: "interrupted" })];
    const events = translateAll(geminiTranslator, [...frames, ...lines({ type: "result", status: "success" })]);
    expect(events.at(-1)).toMatchObject({ outcome: "completed" });
  });

  test("codex, resumed from another run: the past isn't billed again", () => {
    const frames = readTranscript<Json>("codex-exec-resume-2");
    const resume = { sessionId: "01a1dd19-56a7-7c80-a2fd-0008cb5b28f5" };
    const events = translateAll(codexExecTranslator, [ours({ type: "turn", resume }), ...frames]);
    expect(events.find((event) => event.type === "notice")).toMatchObject({ code: "usage_unknown" });
    expect(events.at(-1)).toEqual({ type: "complete", turn: "t1", outcome: "completed", stopReason: "end_turn" });
  });

  test("opencode, stopped by a refused tool: the exit ends the turn", () => {
    const frames = readTranscript<Json>("opencode-run-tool-ask");
    const events = translateAll(opencodeTranslator, [ours({ type: "turn" }), ...frames, ours({ type: "exit" })]);
    expect(events.find((event) => event.type === "tool_call")).toMatchObject({ toolStatus: "denied", kind: "execute" });
    expect(events.at(-1)).toMatchObject({ type: "complete", outcome: "completed", usage: { input: 100 } });
  });
});

test("opencode, interrupted between two steps, isn't done", () => {
  const frames = [ours({ type: "turn" }), ...readTranscript<Json>("opencode-run-tool-ask")];
  const stopped = [ours({ type: "interrupt", reason: "interrupted" }), ours({ type: "exit" })];
  expect(translateAll(opencodeTranslator, [...frames, ...stopped]).at(-1)).toMatchObject({ outcome: "interrupted" });
});

describe("unknown lines are counted", () => {
  test.each([
    ["gemini", geminiTranslator, { type: "telepathy" }, "telepathy"],
    ["gemini", geminiTranslator, {}, undefined],
    ["gemini", geminiTranslator, { type: "constructor" }, "constructor"],
    ["opencode", opencodeTranslator, { type: "snapshot" }, "snapshot"],
    ["codex-exec", codexExecTranslator, { type: "item.eaten" }, "item.eaten"],
    [
      "codex-exec",
      codexExecTranslator,
      { type: "item.completed", item: { id: "i", type: "toString" } },
      "item.completed/toString",
    ],
    ["codex-exec", codexExecTranslator, { type: "turn" }, "turn"],
  ] as const)("%s %#", (protocol, translator, line, wireType) => {
    const events = translateAll<Json, never>(translator as never, lines(line));
    expect(events).toMatchObject([{ type: "unmapped", protocol, why: "unknown_type", wireType }]);
  });
});
