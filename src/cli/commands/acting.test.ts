import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentEvent, EventOf } from "../../contract/events.ts";
import { runCommand } from "../command.ts";
import { testContext } from "../test-context.ts";
import { TestHome } from "../test-home.ts";
import answer from "./answer.ts";
import attach from "./attach.ts";
import inbox from "./inbox.ts";
import interrupt from "./interrupt.ts";
import prompt from "./prompt.ts";
import stop from "./stop.ts";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

async function cox(spec: { name: string }, ...args: string[]) {
  return coxWith({}, spec, ...args);
}

async function coxWith(
  options: { env?: NodeJS.ProcessEnv; stdin?: string },
  spec: { name: string },
  ...args: string[]
) {
  const context = testContext({ ...options, env: { ...home.env, ...options.env } });
  const code = await runCommand(spec as never, args, context);
  return { code, out: context.out(), err: context.err() };
}

const opened: AgentEvent = { type: "session_status", status: "new", sessionId: "s" };
const begin: AgentEvent = { type: "turn_started", turn: "t" };
const say = (text: string, messageId = "m"): AgentEvent => ({ type: "message_chunk", messageId, text });
const end: AgentEvent = { type: "complete", turn: "t", outcome: "completed" };
const permission = (pendingId: string): EventOf<"permission_request"> => ({
  type: "permission_request",
  pendingId,
  permissionTitle: "Run ls",
  source: "protocol",
  actionType: "execute",
  actionDetails: { command: "ls", cwd: "/work" },
  permissionOptions: [
    { id: "y", label: "Yes", kind: "allow_once" },
    { id: "n", label: "No", kind: "reject_once" },
  ],
});
const question: EventOf<"question_request"> = {
  type: "question_request",
  pendingId: "q0",
  questions: [
    {
      id: "a",
      text: "Colour?",
      answer: "choices",
      choices: [
        { value: "r", label: "Red" },
        { value: "b", label: "Blue" },
      ],
    },
  ],
};
const resolved = (pendingId: string): AgentEvent => ({
  type: "request_resolved",
  pendingId,
  outcome: "allowed",
  by: "person",
  who: "tom@box",
});
const BY = expect.stringMatching(/.+@.+ terminal/);

describe("prompt", () => {
  test("started at once, when nothing is under way", async () => {
    const run = await home.addLiveRun([opened]);
    run.react = (command) => {
      if (command.type === "prompt") {
        run.say([{ type: "user_message", promptId: command.promptId, content: command.content, delivery: "start" }]);
      }
      return undefined;
    };
    expect((await cox(prompt, run.id, "and", "now")).out).toBe("started\n");
    expect(run.commands).toMatchObject([
      { type: "prompt", content: [{ type: "text", text: "and now" }], delivery: "queue", by: BY },
    ]);
  });

  test("queued while it works; the text may come from stdin", async () => {
    const run = await home.addLiveRun([opened, begin]);
    run.react = (command) => {
      if (command.type !== "prompt") return undefined;
      const other = { promptId: "other", content: [] };
      run.say([{ type: "prompt_queue", prompts: [other, { promptId: command.promptId, content: command.content }] }]);
      return undefined;
    };
    const { out } = await coxWith({ stdin: "from\na file\n" }, prompt, "latest", "-");
    expect(out).toBe("queued, behind 1 other prompt\n");
    expect(run.commands).toMatchObject([{ content: [{ text: "from\na file\n" }] }]);
  });

  test("an ended run says how to go on", async () => {
    const run = home.addRun();
    await expect(cox(prompt, run.id, "x")).rejects.toThrow(`cox run --resume ${run.id}`);
    await expect(cox(prompt, run.id, " ")).rejects.toThrow("the prompt is empty");
  });
});

describe("interrupt", () => {
  test("a turn", async () => {
    const run = await home.addLiveRun([opened, begin]);
    expect((await cox(interrupt, run.id)).out).toBe("interrupted\n");
    expect(run.commands).toEqual([{ type: "interrupt", by: BY }]);
  });

  test("between turns there is nothing to interrupt", async () => {
    const run = await home.addLiveRun([opened, begin, end]);
    expect((await cox(interrupt, run.id)).out).toBe("nothing was under way\n");
  });
});

describe("stop", () => {
  test("waits for the end and tells it", async () => {
    const run = await home.addLiveRun([opened, begin]);
    run.react = () => {
      setTimeout(() => run.end({ status: "failed", reason: "stopped", exit_code: 1, error_summary: "stopped" }), 20);
      return undefined;
    };
    const { code, out } = await cox(stop, run.id, "--grace", "2s");
    expect([code, run.commands]).toEqual([0, [{ type: "stop", graceMs: 2000, by: BY }]]);
    expect(out).toMatch(new RegExp(`^✗ ${run.id} failed \\(stopped\\)`));
  });

  test("--all stops every live run", async () => {
    const runs = [await home.addLiveRun([opened]), await home.addLiveRun([opened])];
    home.addRun();
    for (const run of runs) {
      run.react = () => {
        run.end();
        return undefined;
      };
    }
    const { out } = await cox(stop, "--all");
    expect(out.match(/completed/g)).toHaveLength(2);
    expect((await cox(stop, "--all")).err).toBe("no live runs\n");
  });

  test("a run that has ended is what was wanted", async () => {
    const run = home.addRun();
    expect((await cox(stop, run.id)).out).toContain("completed");
  });

  test.each([[[]], [["--all", "x"]], [["latest", "--grace", "soon"]]])("%j is misuse", async (args) => {
    await expect(cox(stop, ...args)).rejects.toMatchObject({ code: "usage.invalid" });
  });
});

describe("inbox", () => {
  test("what is open in all live runs, the longest waiting first", async () => {
    const late = await home.addLiveRun([opened, begin]);
    late.say([permission("p0"), permission("p1"), resolved("p1")], "2026-08-01T11:59:00.000Z");
    const early = await home.addLiveRun([opened, begin]);
    early.say([question], "2026-08-01T11:30:00.000Z");
    home.addRun([opened, begin, permission("old"), end]);
    const { out } = await cox(inbox);
    expect(out.split("\n")).toEqual([
      `demo in /work, run ${early.id}, waiting 30m`,
      "? question q0",
      "  Colour?",
      "    1 [ ] Red",
      "    2 [ ] Blue",
      `  answer: cox answer ${early.id}/q0 1|2`,
      `          cox answer ${early.id}/q0 --decline`,
      "",
      `demo in /work, run ${late.id}, waiting 1m`,
      "? permission p0",
      "  Run ls",
      "  $ ls",
      "  in /work",
      `  answer: cox answer ${late.id}/p0 allow|deny`,
      "",
    ]);
  });

  test("--json", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    const record = JSON.parse((await cox(inbox, "--json")).out);
    expect(record).toMatchObject({ request: `${run.id}/p0`, run_id: run.id, agent: "demo", permissionTitle: "Run ls" });
  });

  test("a lost run waits for nobody", async () => {
    home.addLostRun([opened, begin, permission("p0")]);
    expect(await cox(inbox)).toMatchObject({ out: "", err: "nobody waits for you\n" });
  });
});

describe("answer", () => {
  test.each([
    [["latest/p0", "allow"], { optionId: "y" }],
    [["p0", "deny", "--reason", "not now"], { optionId: "n", reason: "not now" }],
    [["p", "yes"], { optionId: "y" }],
  ])("%j", async (args, expected) => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    const { out } = await cox(answer, ...args);
    expect(run.commands).toEqual([{ type: "answer", pendingId: "p0", answer: expected, by: BY }]);
    expect(out).toBe(`answered p0 of run ${run.id}: Run ls\n`);
  });

  test.each([
    [["q0", "red,2"], { answers: { a: ["r", "b"] } }],
    [["q0", "--decline", "--reason", "busy"], { decline: true, reason: "busy" }],
  ])("a question: %j", async (args, expected) => {
    const run = await home.addLiveRun([opened, begin, question]);
    await cox(answer, ...args);
    expect(run.commands).toMatchObject([{ answer: expected }]);
  });

  test("an agent may not answer its own request", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    const inside = coxWith({ env: { COX_RUN_ID: run.id } }, answer, "p0", "allow");
    await expect(inside).rejects.toThrow(`refused inside run ${run.id}`);
    expect(run.commands).toEqual([]);
  });

  test("answered before: by whom and when", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0"), resolved("p0")]);
    await expect(cox(answer, `${run.id}/p0`, "allow")).rejects.toMatchObject({
      code: "request.resolved",
      message: `request ${run.id}/p0: already allowed by tom@box at 2026-08-01T11:00:00.000Z`,
    });
  });

  test("what the host refuses is passed on", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    run.react = () => ({ id: 1, error: { code: "request.resolved", message: "already answered by web at noon" } });
    await expect(cox(answer, "p0", "allow")).rejects.toMatchObject({
      code: "request.resolved",
      message: "already answered by web at noon",
    });
  });

  test("the same id in two runs needs the run", async () => {
    await home.addLiveRun([opened, begin, permission("p0")]);
    const second = await home.addLiveRun([opened, begin, permission("p0")]);
    await expect(cox(answer, "p0", "allow")).rejects.toThrow(
      /open in several runs; say which: .*0001\/p0 or .*0002\/p0/,
    );
    await cox(answer, `${second.id.slice(-4)}/p0`, "allow");
    expect(second.commands).toHaveLength(1);
  });

  test.each([
    [["p9", "allow"], "request p9: not open in any run"],
    [["latest/p9", "allow"], "/p9: not open; `cox inbox` lists what is open"],
    [["p0", "perhaps"], 'no answer "perhaps"'],
    [["p0"], "which request, and what answer?"],
    [["p0", "allow", "--decline"], "which request, and what answer?"],
  ])("%j is refused", async (args, message) => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    await expect(cox(answer, ...args)).rejects.toThrow(message);
    expect(run.commands).toEqual([]);
  });
});

describe("attach", () => {
  /** Starts it; `seen` waits for a text on the screen. */
  function watch(...args: string[]) {
    const context = testContext({ env: { ...home.env, NO_COLOR: "1" }, tty: { columns: 100, rows: 40 } });
    const seen = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => (context.out().includes(text) ? resolve() : setTimeout(look, 5));
        look();
      });
    return { context, seen, done: runCommand(attach as never, args, context) };
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

  test("answers, and gives prompts, through the host", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0")], { mode: "interactive" });
    const { context, seen, done } = watch(run.id);
    await seen("[a]llow once");
    context.clock.pass(1000);
    context.type("a");
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
    expect(context.err()).toBe(`detached; run ${run.id} goes on: \`cox attach ${run.id}\`\n`);
    expect([run.commands, context.raw]).toEqual([[], false]);
  });

  test("--tail begins with the turn under way", async () => {
    const ask = (promptId: string, text: string): AgentEvent => ({
      type: "user_message",
      promptId,
      content: [{ type: "text", text }],
      delivery: "start",
    });
    const run = await home.addLiveRun([
      opened,
      ask("1", "first"),
      begin,
      say("old"),
      end,
      ask("2", "second"),
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
    const run = home.addRun([
      opened,
      begin,
      say("All of it"),
      end,
      { type: "session_status", status: "closed", reason: "done" },
    ]);
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
