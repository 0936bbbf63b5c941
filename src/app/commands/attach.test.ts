import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testContext } from "../../faces/cli/testing/test-context.ts";
import { ask, begin, closed, end, opened, permission, resolved, say } from "../../faces/cli/testing/test-events.ts";
import { TestHome } from "../../faces/cli/testing/test-home.ts";
import { runCommand } from "../../lib/command/command.ts";
import attach from "./attach.ts";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

const BY = expect.stringMatching(/.+@.+ terminal/);

describe("attach", () => {
  /** Starts it; `seen` waits for a text on the screen. */
  function watch(...args: string[]) {
    const context = testContext({ env: { ...home.env, NO_COLOR: "1" }, tty: { columns: 100, rows: 40 } });
    const seen = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => (context.out().includes(text) ? resolve() : setTimeout(look, 5));
        look();
      });
    return { context, seen, done: runCommand(attach, args, context) };
  }

  test("shows what was and what comes, and ends with the run", async () => {
    const run = await home.addLiveRun([opened, begin, say("Hello")]);
    const { context, seen, done } = watch(run.id);
    await seen("Hello");
    run.say([say(" there"), end]);
    await seen("there");
    run.end({ status: "failed", reason: "exit_code", exit_code: 3 });
    expect(await done).toBe(3);
    expect(context.out()).toContain("failed (exit_code)");
    expect(context.raw).toBe(false);
  });

  test("without a name: the only run that is live, or how to name one", async () => {
    await expect(watch().done).rejects.toThrow("cox attach: no run is live; `cox attach latest` shows the last one");
    const run = await home.addLiveRun([opened, begin, say("Hello")]);
    const { seen, done } = watch();
    await seen("Hello");
    await home.addLiveRun([opened, begin]);
    await expect(watch().done).rejects.toThrow("cox attach: 2 runs are live; say which: r1, r2");
    run.end();
    await done;
  });

  test("answers, and gives prompts, through the host", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0")], { mode: "interactive" });
    const { context, seen, done } = watch(run.id);
    await seen("[a]llow once");
    context.clock.pass(1000);
    context.type("a\r");
    await expect
      .poll(() => run.commands)
      .toEqual([{ type: "answer", pendingId: "p0", answer: { optionId: "y" }, by: BY }]);
    run.say([resolved("p0"), end]);
    await seen("allowed by tom@box");
    context.type("next\r");
    await expect.poll(() => run.commands[1]).toMatchObject({ type: "prompt", content: [{ text: "next" }], by: BY });
    run.end();
    expect(await done).toBe(0);
  });

  test.each([["\x03"], ["\x04"]])("%j leaves, and the run goes on", async (key) => {
    const run = await home.addLiveRun([opened, begin, say("Hello")], { mode: "interactive" });
    const { context, seen, done } = watch(run.id);
    await seen("Hello");
    context.type(key);
    expect(await done).toBe(0);
    expect(context.err()).toBe(`detached; run ${run.name} goes on: \`cox attach ${run.name}\`\n`);
    expect([run.commands, context.raw]).toEqual([[], false]);
  });

  test("--tail begins with the turn under way", async () => {
    const run = await home.addLiveRun([
      opened,
      ask("first", "1"),
      begin,
      say("old"),
      end,
      ask("second", "2"),
      begin,
      say("new", "m2"),
    ]);
    const { context, seen, done } = watch(run.id, "--tail");
    await seen("new");
    run.end();
    await done;
    expect(context.out()).toContain("second");
    expect(context.out()).not.toMatch(/first|old/);
  });

  test("an ended run is shown from beginning to end", async () => {
    const run = home.addRun([opened, begin, say("All of it"), end, closed]);
    const { context, done } = watch(run.id);
    expect(await done).toBe(0);
    expect(context.out()).toContain("All of it");
  });

  test("a host that dies ends the view", async () => {
    const run = home.addLostRun([opened, begin, say("Hello")]);
    const { context, done } = watch(run.id);
    expect(await done).toBe(1);
    expect(context.out()).toContain("failed (host_lost)");
  });
});
