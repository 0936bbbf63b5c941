import { describe, expect, test } from "vitest";
import {
  done,
  events,
  type Frames,
  init,
  last,
  received,
  sent,
  stream,
  textOf,
  toolResult,
  typesOf,
  whole,
} from "../../../../../test/support/claude-frames.ts";
import { expectGolden, expectSound, readTranscript, transcriptNames } from "../../../../../test/support/transcript.ts";
import { type ClaudeMessage, controlRequest, wireTypes } from "../messages.ts";

describe("recorded sessions of the real CLI", () => {
  test.each(transcriptNames("claude-"))("%s", (name) => {
    const all = events(readTranscript<ClaudeMessage>(name));
    expectSound(all);
    expectGolden(name, all);
  });

  test.each(transcriptNames("claude-"))("%s, the agent's side alone", (name) => {
    const frames = readTranscript<ClaudeMessage>(name);
    const alone = events(frames.filter((frame) => frame.dir === "received"));
    expectSound(alone);
    expect(textOf(alone)).toBe(textOf(events(frames)));
  });
});

describe("the table of wire types", () => {
  const messageOf = (wireType: string): ClaudeMessage => {
    const [type, subtype] = wireType.split("/");
    if (type === "stream_event") return { type, event: { type: subtype } };
    if (type === "control_request") return { type, request_id: "r", request: { subtype } };
    return { type, subtype };
  };

  test.each(Object.keys(wireTypes))("%s is never unmapped", (wireType) => {
    expect(typesOf(events([received(messageOf(wireType))]))).not.toContain("unmapped");
  });

  test.each(["telepathy", "system/telepathy", "stream_event/telepathy", "control_request/telepathy"])(
    "%s is counted, not dropped",
    (wireType) => {
      const unmapped = last(events([received(messageOf(wireType))]), "unmapped");
      expect(unmapped).toMatchObject({ protocol: "claude-code", why: "unknown_type", wireType });
    },
  );

  test("so is a block of an unknown type", () => {
    const all = events([whole("m1", [{ type: "hologram" }]), toolResult("x"), done()]);
    expect(last(all, "unmapped")).toMatchObject({ wireType: "assistant:hologram" });
  });
});

describe("text", () => {
  const start = stream({ type: "message_start", message: { id: "m1" } });
  const block = (index: number, type: string) =>
    stream({ type: "content_block_start", index, content_block: { type } });
  const delta = (text: string) => stream({ type: "content_block_delta", delta: { type: "text_delta", text } });
  const stop = stream({ type: "content_block_stop" });

  const cases: Record<string, { frames: Frames; text: string }> = {
    "streamed text is not repeated by the whole message": {
      frames: [
        start,
        block(0, "text"),
        delta("Hel"),
        delta("lo"),
        whole("m1", [{ type: "text", text: "Hello" }]),
        stop,
      ],
      text: "Hello",
    },
    "what was not streamed of it is added": {
      frames: [start, block(0, "text"), delta("Hel"), whole("m1", [{ type: "text", text: "Hello" }]), stop],
      text: "Hello",
    },
    "a second block of the same kind is not taken for the first": {
      frames: [
        start,
        block(0, "text"),
        delta("One"),
        whole("m1", [
          {
            type: "text",
            text: "One",
          },
        ]),
        stop,
        block(1, "text"),
        delta("Two"),
        whole("m1", [
          {
            type: "text",
            text: "Two",
          },
        ]),
        stop,
      ],
      text: "OneTwo",
    },
    "without partial messages the blocks give the text": {
      frames: [whole("m1", [{ type: "text", text: "One" }]), whole("m1", [{ type: "text", text: "Two" }])],
      text: "OneTwo",
    },
    "a slash command answers in its result alone": {
      frames: [init(), done({ result: "42 tokens" })],
      text: "42 tokens",
    },
    "the result repeats nothing that was said": {
      frames: [whole("m1", [{ type: "text", text: "Hi" }]), done({ result: "Hi" })],
      text: "Hi",
    },
  };
  test.each(Object.entries(cases))("%s", (_, { frames, text }) => expect(textOf(events(frames))).toBe(text));

  test("two blocks of one message are two messages", () => {
    const all = events([whole("m1", [{ type: "text", text: "a" }]), whole("m1", [{ type: "text", text: "b" }])]);
    const ids = all.flatMap((event) => (event.type === "message_chunk" ? [event.messageId] : []));
    expect(ids).toEqual(["m1/0", "m1/1"]);
  });

  test("a sub-agent speaks under the call that started it, in between the main conversation's stream", () => {
    const sub = whole("m9", [{ type: "text", text: "sub" }], "toolu_1");
    const frames = [start, block(0, "text"), delta("a"), sub, delta("b"), whole("m1", [{ type: "text", text: "ab" }])];
    const chunks = events(frames).flatMap((event) =>
      event.type === "message_chunk" ? [[event.parentToolCallId, event.text]] : [],
    );
    expect(chunks).toEqual([
      [undefined, "a"],
      ["toolu_1", "sub"],
      [undefined, "b"],
    ]);
  });
});

describe("the conversation", () => {
  test("is introduced once, and again only with a new id", () => {
    const all = events([init(), done(), init(), done(), init("s2"), done()]);
    const told = all.flatMap((event) =>
      event.type === "session_status" && "sessionId" in event ? [`${event.status} ${event.sessionId}`] : [],
    );
    expect(told).toEqual(["new s1", "updated s2"]);
  });

  test("is resumed when it was opened so", () => {
    expect(last(events([init()], { resumed: true }), "session_status")).toMatchObject({
      status: "resumed",
      resumedBy: "flag",
    });
  });

  test("its cost is what a turn adds to the total; what a resumed one cost before is nobody's turn", () => {
    const costs = (opening: { resumed: boolean }) =>
      events([init(), done({ total_cost_usd: 5 }), init(), done({ total_cost_usd: 7 })], opening).flatMap((event) =>
        event.type === "complete" ? [event.usage?.costUsd] : [],
      );
    expect(costs({ resumed: false })).toEqual([5, 2]);
    expect(costs({ resumed: true })).toEqual([undefined, 2]);
  });

  test("the choice that stands for the model is kept, though another one stands for it too", () => {
    const models = [
      { value: "default", resolvedModel: "opus-5" },
      { value: "opus", resolvedModel: "opus-5" },
    ];
    const reply = (request_id: string, response: object) =>
      received({ type: "control_response", response: { subtype: "success", request_id, response } });
    const started = received({ type: "system", subtype: "init", session_id: "s", model: "opus-5" });
    const all = events([
      sent(controlRequest("r1", { subtype: "initialize" })),
      reply("r1", { models }),
      sent(
        controlRequest("r2", {
          subtype: "set_model",
          model: "opus",
        }),
      ),
      reply("r2", { model: "opus-5" }),
      started,
    ]);
    const told = all.flatMap((event) => (event.type === "config_options" ? [event.options[0]?.value] : []));
    expect(told).toEqual(["default", "opus"]);
  });

  test("a limit is told with its percentage and its end", () => {
    const rate_limit_info = { status: "allowed_warning", rateLimitType: "five_hour", utilization: 0.81, resetsAt: 60 };
    expect(last(events([received({ type: "rate_limit_event", rate_limit_info })]), "rate_limit")).toEqual({
      type: "rate_limit",
      status: "warning",
      scope: "five_hour",
      usedPercent: 81,
      resetsAt: "1970-01-01T00:01:00.000Z",
    });
  });

  test("compaction is a notice", () => {
    const boundary = received({ type: "system", subtype: "compact_boundary", compact_metadata: { trigger: "auto" } });
    expect(last(events([boundary]), "notice")).toMatchObject({ code: "compacted", data: { trigger: "auto" } });
  });
});
