import { describe, expect, test } from "vitest";
import {
  expectGolden,
  expectSound,
  readTranscript,
  transcriptNames,
  translateAll,
} from "../../../../test/support/transcript.ts";
import type { AcpMessage } from "./messages.ts";
import { acpTranslator } from "./translate.ts";

describe("recorded sessions of real ACP agents", () => {
  test.each(transcriptNames("acp-", "gemini-acp-"))("%s", (name) => {
    const events = translateAll(acpTranslator, readTranscript<AcpMessage>(name));
    expectSound(events);
    expectGolden(name, events);
  });

  test.each(transcriptNames("acp-"))("%s, the agent's side alone", (name) => {
    const frames = readTranscript<AcpMessage>(name).filter((frame) => frame.dir === "received");
    expectSound(translateAll(acpTranslator, frames));
  });
});

describe("what an agent may do wrong", () => {
  const prompt = { dir: "sent", message: { id: 1, method: "session/prompt", params: {} } } as const;
  const update = (fields: object) =>
    ({ dir: "received", message: { method: "session/update", params: { update: fields } } }) as const;
  const typesOf = (frames: Parameters<typeof translateAll<AcpMessage, never>>[1]) =>
    translateAll(acpTranslator, frames).map((event) => event.type);

  test("an unknown update is counted, not dropped", () => {
    expect(typesOf([prompt, update({ sessionUpdate: "telepathy" })])).toEqual(["turn_started", "unmapped", "complete"]);
  });

  test("a late answer to a turn that was closed ends nothing", () => {
    const late = { dir: "received", message: { id: 7, result: { stopReason: "end_turn" } } } as const;
    expect(typesOf([late, prompt])).toEqual(["turn_started", "complete"]);
  });

  test.each([
    ["models/m is not found", "model"],
    ["fetch failed", "network"],
    ["something went wrong", "server"],
  ])("500 is said of everything: %s", (message, category) => {
    const failed = { dir: "received", message: { id: 1, error: { code: 500, message } } } as const;
    const events = translateAll(acpTranslator, [prompt, failed]);
    expect(events.find((event) => event.type === "error")).toMatchObject({ message, category });
  });

  const status = update({
    sessionUpdate: "session_info_update",
    _meta: { codex: { threadStatus: { type: "systemError" } } },
  });
  const words = update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "high demand" } });
  test.each([
    ["before its status", [words, status], "high demand", "server"],
    ["after it", [status, words], "high demand", "server"],
    ["never", [status], "the agent's thread has failed", "other"],
  ])("an error dressed as the end of a turn, its words %s", (_, frames, message, category) => {
    const done = { dir: "received", message: { id: 1, result: { stopReason: "end_turn" } } } as const;
    const events = translateAll(acpTranslator, [prompt, ...frames, done]);
    expect(events.at(-2)).toMatchObject({ type: "error", message, category });
    expect(events.at(-1)).toMatchObject({ type: "complete", outcome: "failed", reason: message });
  });

  test.each([
    ["beside the output", { outputTokens: 30, totalTokens: 192 }],
    ["within it", { outputTokens: 42, totalTokens: 192 }],
  ])("thinking is counted %s, and for us once", (_, told) => {
    const usage = { inputTokens: 100, cachedReadTokens: 50, thoughtTokens: 12, ...told };
    const done = { dir: "received", message: { id: 1, result: { stopReason: "end_turn", usage } } } as const;
    const events = translateAll(acpTranslator, [prompt, done]);
    expect(events.at(-1)).toMatchObject({ usage: { input: 100, output: 42, cacheRead: 50, reasoning: 12 } });
  });

  test("an option of a kind we don't know is never an allowing one", () => {
    const ask = {
      dir: "received",
      message: {
        id: 0,
        method: "session/request_permission",
        params: {
          toolCall: { toolCallId: "c", title: "x" },
          options: [{ optionId: "o", name: "?", kind: "allow_more" }],
        },
      },
    } as const;
    const events = translateAll(acpTranslator, [prompt, ask]);
    const request = events.find((event) => event.type === "permission_request");
    expect(request?.permissionOptions).toEqual([{ id: "o", label: "?", kind: "reject_once" }]);
  });
});
