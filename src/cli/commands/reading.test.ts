import { rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentEvent, EventOf } from "../../contract/events.ts";
import { runCommand } from "../command.ts";
import { testContext } from "../test-context.ts";
import { TestHome } from "../test-home.ts";
import logs from "./logs.ts";
import ls from "./ls.ts";
import output from "./output.ts";
import show from "./show.ts";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

/** Any command with these words; what it printed. */
async function cox(spec: { name: string }, ...args: string[]) {
  const context = testContext({ env: home.env });
  const code = await runCommand(spec as never, args, context);
  return { code, out: context.out(), err: context.err(), lines: context.out().trimEnd().split("\n") };
}

const opened: AgentEvent = { type: "session_status", status: "new", sessionId: "s" };
const begin: AgentEvent = { type: "turn_started", turn: "t" };
const say = (text: string, messageId = "m"): AgentEvent => ({ type: "message_chunk", messageId, text });
const end: AgentEvent = { type: "complete", turn: "t", outcome: "completed" };
const closed: AgentEvent = { type: "session_status", status: "closed", reason: "done" };
const permission = (pendingId: string): EventOf<"permission_request"> => ({
  type: "permission_request",
  pendingId,
  permissionTitle: "Run ls",
  source: "protocol",
  actionType: "execute",
  actionDetails: { command: "ls" },
  permissionOptions: [{ id: "y", label: "Yes", kind: "allow_once" }],
});
const resolved = (pendingId: string): AgentEvent => ({
  type: "request_resolved",
  pendingId,
  outcome: "allowed",
  by: "person",
  who: "tom@box",
});

describe("ls", () => {
  test("an empty home says how to begin, and stays empty", async () => {
    rmSync(home.root, { recursive: true });
    const { code, out, err } = await cox(ls);
    expect([code, out]).toEqual([0, ""]);
    expect(err).toContain("cox run");
  });

  test("newest first, with state, figures and title", async () => {
    home.addRun([], { cost_usd: 0.25, turns: 3 }, "the \x1b[31mfirst\nrun");
    home.addRun([], { status: "failed", reason: "timeout", exit_code: 124 });
    await home.addLiveRun([opened, begin]);
    await home.addLiveRun([opened, begin, permission("p0")]);
    await home.addLiveRun([opened, begin, end], { mode: "interactive" });
    const { lines } = await cox(ls);
    expect(lines.map((line) => line.replace(/ {2,}/g, "|"))).toEqual([
      "RUN|AGENT|STATE|AGE|TIME|TURNS|COST|TITLE",
      "0005-0000042-0005|demo|idle|1h|1h 00m|-|-|a title",
      "0004-0000042-0004|demo|waiting for you|1h|1h 00m|-|-|a title",
      "0003-0000042-0003|demo|running|1h|1h 00m|-|-|a title",
      "0002-0000042-0002|demo|failed (timeout)|1h|1m 30s|1|-|a title",
      "0001-0000042-0001|demo|completed|1h|1m 30s|3|$0.25|the first run",
    ]);
  });

  test.each([
    ["running", ["0005", "0004", "0003"]],
    ["waiting", ["0004"]],
    ["completed", ["0001"]],
    ["failed", ["0002"]],
  ])("--status %s", async (status, expected) => {
    home.addRun();
    home.addRun([], { status: "failed" });
    await home.addLiveRun([opened, begin]);
    await home.addLiveRun([opened, begin, permission("p0"), permission("p1"), resolved("p1")]);
    await home.addLiveRun([opened, begin, permission("p0"), resolved("p0"), end]);
    const { lines } = await cox(ls, "--status", status);
    expect(lines.slice(1).map((line) => line.slice(0, 4))).toEqual(expected);
  });

  test("--limit, --project and --json", async () => {
    home.addRun();
    home.addRun([], { project_id: "other" });
    home.addRun();
    expect((await cox(ls, "--limit", "2")).lines).toHaveLength(3);
    const { lines } = await cox(ls, "--project", "other", "--json");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { project: "other", state: "completed", agent: "demo" },
    ]);
  });

  test("a lost run is ended before it is listed", async () => {
    const lost = home.addLostRun([opened, begin]);
    const { out } = await cox(ls);
    expect(out).toContain("failed (host_lost)");
    expect((await cox(logs, lost.id)).out).toContain("the process that ran this run is gone");
  });

  test("a run without claim and end is lost, a removed one too", async () => {
    home.addRun([], { status: "running" });
    const removed = home.addRun([], { status: "running" });
    rmSync(removed.paths.dir, { recursive: true });
    expect((await cox(ls)).out.match(/lost/g)).toHaveLength(2);
  });

  test.each([
    [["--limit", "0"], "not a number above 0"],
    [["--limit", "x"], "not a number above 0"],
    [["--status", "odd"], "choose running, completed, failed, waiting"],
    [["odd"], "too many words"],
    [["--odd"], "see `cox ls --help`"],
  ])("%j is misuse", async (args, message) => {
    await expect(cox(ls, ...args)).rejects.toThrow(message);
  });
});

describe("logs", () => {
  const story: AgentEvent[] = [
    opened,
    { type: "user_message", promptId: "u", content: [{ type: "text", text: "do it" }], delivery: "start" },
    begin,
    say("Wor"),
    say("king.\n"),
    { type: "tool_call", toolCallId: "c", toolName: "Bash", toolTitle: "ls", kind: "execute", toolStatus: "running" },
    permission("p0"),
    resolved("p0"),
    { type: "tool_update", toolCallId: "c", toolStatus: "completed", result: "a\nb" },
    say("Done.", "m2"),
    end,
  ];

  test("the transcript, and how it ended", async () => {
    home.addRun([...story, closed]);
    const { lines } = await cox(logs, "latest");
    expect(lines).toEqual([
      "› do it",
      "",
      "Working.",
      "",
      "✓ allowed by tom@box: Run ls",
      "✓ ls  2 lines",
      "",
      "Done.",
      "",
      "✓ 20260801-1100000001-0000042-0001 completed · 1 turn · 1m 30s",
      expect.stringContaining("output.md"),
    ]);
  });

  test("a torn last line costs only itself", async () => {
    const run = home.addRun(story);
    run.tear();
    const { out } = await cox(logs, run.id);
    expect(out).toContain("Done.");
    expect((await cox(logs, run.id, "--json")).lines).toHaveLength(story.length);
  });

  test("a run that waits says how to answer", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p7")]);
    expect((await cox(logs, run.id)).out).toContain(`cox answer ${run.id}/p7 allow|deny`);
  });

  test("--json prints the events", async () => {
    home.addRun([opened, say("a\u202e\x9b")]);
    const { lines, out } = await cox(logs, "latest", "--json");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([opened, say("a\u202e\x9b")]);
    expect(out).not.toMatch(/[\u202e\x9b]/);
  });

  test("--raw and --stderr print bytes as they are", async () => {
    const run = home.addRun();
    writeFileSync(run.paths.stdout, "\x1b[31mraw\r\n");
    writeFileSync(run.paths.stderr, "err");
    expect((await cox(logs, run.id, "--raw")).out).toBe("\x1b[31mraw\r\n");
    expect((await cox(logs, run.id, "--stderr")).out).toBe("err");
    await expect(cox(logs, run.id, "--raw", "--json")).rejects.toThrow("give one of");
  });

  test("-f goes on until the run has ended", async () => {
    const run = await home.addLiveRun([opened, begin, say("one\n")]);
    const context = testContext({ env: home.env });
    const seen = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => (context.out().includes(text) ? resolve() : setTimeout(look, 5));
        look();
      });
    const done = runCommand(logs as never, [run.id, "-f"], context);
    await seen("one");
    run.say([say("two\n")]);
    await seen("two");
    run.say([end]);
    run.end();
    expect(await done).toBe(0);
    expect(context.out()).toMatch(/one\ntwo\n\n✓ .* completed/);
  });

  test("-f --raw follows the agent's stdout", async () => {
    const run = await home.addLiveRun([opened]);
    writeFileSync(run.paths.stdout, "early ");
    const done = cox(logs, run.id, "-f", "--raw");
    writeFileSync(run.paths.stdout, "late", { flag: "a" });
    run.end();
    expect((await done).out).toBe("early late");
  });

  test("-f of a run whose host dies does not hang", async () => {
    const run = home.addLostRun([opened, begin, say("hello\n")]);
    expect((await cox(logs, run.id, "-f")).out).toContain("failed (host_lost)");
  });
});

describe("output", () => {
  test("the file, byte for byte", async () => {
    const run = home.addRun();
    writeFileSync(run.paths.output, "answer\x1b[0m\r\n");
    expect((await cox(output, run.id)).out).toBe("answer\x1b[0m\r\n");
  });

  test("on a terminal without control characters", async () => {
    const run = home.addRun();
    writeFileSync(run.paths.output, "\x1b]52;c;eA==\x07answer\n");
    const context = testContext({ env: home.env, tty: true });
    await runCommand(output as never, [run.id], context);
    expect(context.out()).toBe("answer\n");
  });

  test("what it said so far, while it runs", async () => {
    const inner: AgentEvent = { type: "message_chunk", messageId: "x", parentToolCallId: "c", text: "aside" };
    const run = await home.addLiveRun([opened, begin, say("Part "), say("one."), inner, say("Part two.", "m2")]);
    const { out, err } = await cox(output, run.id);
    expect(out).toBe("Part one.\n\nPart two.\n");
    expect(err).toContain("still runs");
  });
});

describe("show", () => {
  test("everything that is known", async () => {
    const run = home.addRun([opened, begin, say("The end."), end, closed], {
      status: "failed",
      reason: "turn_failed",
      category: "auth",
      exit_code: 1,
      error_summary: "no\x1b[2J key",
      input_tokens: 1200,
      output_tokens: 34,
      cost_usd: 0.5,
      session_id: "abc",
      branch: "main",
    });
    const { out } = await cox(show, run.id);
    for (const part of [
      run.id,
      "failed (turn_failed, auth), exit code 1",
      "no key",
      "1 turn, 1.2k tokens in, 34 out, $0.50",
      "1h ago",
      "1m 30s",
      "abc",
      "events.jsonl",
      "The end.",
      run.paths.dir,
    ]) {
      expect(out).toContain(part);
    }
    expect(out).not.toContain("\x1b");
  });

  test("a live one: its requests and how to answer them", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0"), permission("p1"), resolved("p0")]);
    const { out } = await cox(show, run.id);
    expect(out).toContain("waiting for you");
    expect(out).toContain(`cox answer ${run.id}/p1 allow|deny`);
    expect(out).not.toContain(`${run.id}/p0`);
  });

  test("--json", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    const record = JSON.parse((await cox(show, run.id, "--json")).out);
    expect(record).toMatchObject({
      run_id: run.id,
      state: "waiting",
      requests: [{ pendingId: "p0", answer: [`cox answer ${run.id}/p0 allow|deny`] }],
    });
    expect(record.files.map((file: { path: string }) => file.path)).toContain(run.paths.events);
  });

  test("a run is named by any unique part, and an unknown one says so", async () => {
    home.addRun();
    const run = home.addRun();
    expect((await cox(show, run.id.slice(-6))).out).toContain(run.id);
    expect((await cox(show, "0002-0000042-0002")).out).toContain(run.id);
    await expect(cox(show, "2026")).rejects.toMatchObject({ code: "run.ambiguous" });
    await expect(cox(show, "nothing")).rejects.toMatchObject({ code: "run.not_found" });
    await expect(cox(show)).rejects.toThrow("something is missing");
  });

  test("a run whose directory was removed says so", async () => {
    const run = home.addRun();
    rmSync(run.paths.dir, { recursive: true });
    for (const spec of [show, logs, output]) {
      await expect(cox(spec, run.id)).rejects.toThrow(/its directory is gone/);
    }
  });
});
