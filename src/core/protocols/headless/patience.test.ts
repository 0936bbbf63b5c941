import { describe, expect, test } from "vitest";
import { last, openScene } from "../../../../test/support/headless-scene.ts";
import { codexExecDialect } from "./codex-exec/dialect.ts";
import { opencodeDialect } from "./opencode/dialect.ts";

describe("a CLI that would wait for the network for ever", () => {
  const waits = {
    type: "error",
    message: "Reconnecting... waiting for network (Connection failed: error sending request)",
  };
  const thread = [{ type: "thread.started", thread_id: "x" }, { type: "turn.started" }];

  test("codex says it waits, again and again: the deadline ends the turn", async () => {
    const scene = await openScene(codexExecDialect);
    const process = await scene.prompt("x");
    process.say(...thread, waits);
    await scene.until("notice");
    scene.clock.advance(59_000);
    process.say(waits);
    await scene.until("notice");
    expect(process.stopped).toEqual([]);
    scene.clock.advance(17_000);
    process.say(waits);
    const events = await scene.until("complete");
    expect(process.stopped).toHaveLength(1);
    const errors = events.filter((event) => event.type === "error");
    expect(errors).toMatchObject([{ category: "network", turn: "t1", message: expect.stringContaining("76 s") }]);
    expect(last(events)).toMatchObject({ outcome: "failed", reason: errors[0]?.message });
  });

  test("codex goes on silently once the network is back: a long thought isn't cut", async () => {
    const scene = await openScene(codexExecDialect);
    const process = await scene.prompt("x");
    process.say(...thread, waits);
    await scene.until("notice");
    scene.clock.advance(600_000);
    process.say({ type: "item.completed", item: { id: "item_0", type: "agent_message", text: "hm" } });
    await scene.until("message_chunk");
    process.say(waits); // a new wait, counted from here
    await scene.until("notice");
    expect(process.stopped).toEqual([]);
  });

  test("opencode says nothing at all: silence before the first step ends the turn", async () => {
    const scene = await openScene(opencodeDialect, { config: { network_deadline_ms: 5_000 } });
    const process = await scene.prompt("x");
    scene.clock.advance(4_999);
    expect(process.stopped).toEqual([]);
    scene.clock.advance(1);
    const events = await scene.until("complete");
    expect(events).toMatchObject([
      { type: "turn_started" },
      { type: "error", category: "network", retryable: true, message: expect.stringContaining("5 s") },
      { type: "complete", outcome: "failed" },
    ]);
  });

  test("opencode within a step may take its time; between steps the clock runs again", async () => {
    const scene = await openScene(opencodeDialect, { config: { network_deadline_ms: 5_000 } });
    const process = await scene.prompt("x");
    process.say({ type: "step_start", sessionID: "s", part: {} });
    await scene.until("session_status");
    scene.clock.advance(3_600_000);
    expect(process.stopped).toEqual([]);
    process.say({
      type: "step_finish",
      sessionID: "s",
      part: { reason: "tool-calls", tokens: { input: 1, output: 1 } },
    });
    await scene.until("usage");
    scene.clock.advance(5_000);
    expect(last(await scene.until("complete"))).toMatchObject({ outcome: "failed", usage: { input: 1 } });
  });
});
