import { describe, expect, test } from "vitest";
import {
  done,
  events,
  type Frames,
  init,
  last,
  prompt,
  received,
  sent,
  typesOf,
} from "../../../../../test/support/claude-frames.ts";
import { turnsOf } from "../../../../../test/support/events.ts";
import { controlRequest } from "../messages.ts";

describe("turns", () => {
  const [a, b, c] = ["uuid-a", "uuid-b", "uuid-c"];

  const cases: Record<string, { frames: Frames; turns: string[] }> = {
    "initialization is no turn": {
      frames: [
        sent(controlRequest("r1", { subtype: "initialize" })),
        received({ type: "control_response", response: { subtype: "success", request_id: "r1", response: {} } }),
      ],
      turns: [],
    },
    "a crash closes the open turn": { frames: [prompt(a), init()], turns: ["t1", "t1 failed"] },
    "a crash after an interrupt closes it as interrupted": {
      frames: [prompt(a), init(), sent(controlRequest("r1", { subtype: "interrupt" }))],
      turns: ["t1", "t1 interrupted"],
    },
    "a message sent into a turn and taken up by it": {
      frames: [prompt(a), init(), prompt(b), done({ user_message_uuids: [a, b] })],
      turns: ["t1", "t1 completed"],
    },
    "a message sent into a turn that runs afterwards": {
      frames: [
        prompt(a),
        init(),
        prompt(b),
        done({ user_message_uuids: [a] }),
        init(),
        done({ user_message_uuids: [b] }),
      ],
      turns: ["t1", "t1 completed", "t2", "t2 completed"],
    },
    "two of them that run as one": {
      frames: [
        prompt(a),
        init(),
        prompt(b),
        prompt(c),
        done({ user_message_uuids: [a] }),
        init(),
        done({ user_message_uuids: [b, c] }),
      ],
      turns: ["t1", "t1 completed", "t2", "t2 completed"],
    },
    "a message that an interrupt took back gets no turn": {
      frames: [
        prompt(a),
        init(),
        prompt(b),
        sent(controlRequest("r1", { subtype: "interrupt" })),
        received({ type: "command_lifecycle", command_uuid: b, state: "cancelled" }),
        done({ is_error: true, terminal_reason: "aborted_streaming", user_message_uuids: [a] }),
      ],
      turns: ["t1", "t1 interrupted"],
    },
    "a CLI that names no messages: the next turn shows up by itself": {
      frames: [prompt(a), init(), prompt(b), done(), init(), done()],
      turns: ["t1", "t1 completed", "t2", "t2 completed"],
    },
    "the agent wakes up by itself": {
      frames: [init(), done({ origin: { kind: "task-notification" } })],
      turns: ["t1", "t1 completed"],
    },
    "a prompt sent while the agent wakes up is ended by its own result only": {
      frames: [
        prompt(a),
        init(),
        done({ origin: { kind: "task-notification" } }),
        init(),
        done({ user_message_uuids: [a] }),
      ],
      turns: ["t1", "t1 completed"],
    },
    "a result of another message is not its own": {
      frames: [
        prompt(a),
        init(),
        done({ user_message_uuids: [c] }),
        init(),
        done({ is_error: true, user_message_uuids: [a] }),
      ],
      turns: ["t1", "t1 failed"],
    },
    "a prompt taken back before it ran is ended by the next result": {
      frames: [
        prompt(a),
        init(),
        sent(controlRequest("r1", { subtype: "interrupt" })),
        received({ type: "command_lifecycle", command_uuid: a, state: "cancelled" }),
        done({ is_error: true, terminal_reason: "aborted_streaming", origin: { kind: "task-notification" } }),
        prompt(b),
        init(),
        done({ user_message_uuids: [b] }),
      ],
      turns: ["t1", "t1 interrupted", "t2", "t2 completed"],
    },
    "too many rounds": {
      frames: [prompt(a), init(), done({ subtype: "error_max_turns", is_error: true, num_turns: 3 })],
      turns: ["t1", "t1 failed"],
    },
  };
  test.each(Object.entries(cases))("%s", (_, { frames, turns }) => expect(turnsOf(events(frames))).toEqual(turns));

  test("figures of what ran in between are counted to the turn", () => {
    const used = (input_tokens: number) => ({ usage: { input_tokens, output_tokens: 1 } });
    const all = events([
      prompt(a),
      init(),
      done({
        ...used(10),
        origin: { kind: "task-notification" },
      }),
      init(),
      done({
        ...used(20),
        user_message_uuids: [a],
      }),
    ]);
    expect(last(all, "complete")).toMatchObject({ usage: { input: 30, output: 2 } });
  });
});

describe("how a turn fails", () => {
  const failed = (name: string | undefined, fields: object) =>
    events([
      prompt("a"),
      received({
        type: "assistant",
        message: { id: "m", model: "<synthetic>", content: [{ type: "text", text: "API Error" }] },
        error: name,
        is_api_error_message: true,
      }),
      done({ is_error: true, terminal_reason: "api_error", result: "API Error", ...fields }),
    ]);

  test.each([
    ["authentication_failed", {}, "auth"],
    ["oauth_org_not_allowed", {}, "auth"],
    ["billing_error", { api_error_status: 400 }, "credits"],
    ["rate_limit", { api_error_status: 429 }, "rate_limit"],
    ["overloaded", { api_error_status: 529 }, "server"],
    ["model_not_found", { api_error_status: 404 }, "model"],
    ["server_error", { api_error_status: 500 }, "server"],
    ["server_error", { api_error: "connection_failed" }, "network"],
    ["invalid_request", { terminal_reason: "prompt_too_long", api_error_status: 400 }, "context"],
    ["unknown", { api_error_status: 401 }, "auth"],
    ["unknown", { api_error_status: 400 }, "other"],
    [undefined, { api_error_status: 402 }, "credits"],
  ])("%s %j is %s", (name, fields, category) => {
    const all = failed(name, fields);
    expect(typesOf(all)).toEqual(["turn_started", "error", "complete"]);
    expect(last(all, "error")).toMatchObject({ category, turn: "t1" });
    expect(last(all, "complete")).toMatchObject({ outcome: "failed", reason: "API Error" });
  });

  test("a conversation that can't be opened is an error, not a turn", () => {
    const all = events([done({ subtype: "error_during_execution", is_error: true, num_turns: 0, errors: ["none"] })]);
    expect(typesOf(all)).toEqual(["error"]);
  });
});
