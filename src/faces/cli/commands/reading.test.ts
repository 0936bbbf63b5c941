import { rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentEvent } from "../../../contract/events.ts";
import { type CommandSpec, runCommand } from "../../../lib/command/command.ts";
import { testContext } from "../testing/test-context.ts";
import { ask, begin, call, closed, done, end, opened, permission, resolved, say } from "../testing/test-events.ts";
import { TestHome } from "../testing/test-home.ts";
import diff from "./diff.ts";
import interrupt from "./interrupt.ts";
import logs from "./logs.ts";
import output from "./output.ts";
import play from "./play.ts";
import prompt from "./prompt.ts";
import show from "./show.ts";
import tree from "./tree.ts";
import undo from "./undo.ts";
import wait from "./wait.ts";

const ID = "20260801-1100000001-0000042-0001";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

const cox = (spec: CommandSpec, ...args: string[]) => home.cox(spec, ...args);

describe("logs", () => {
  const story: AgentEvent[] = [
    opened,
    ask("do it"),
    begin,
    say("Wor"),
    say("king.\n"),
    call("c", "ls"),
    permission("p0"),
    resolved("p0"),
    done("c", "a\nb"),
    say("Done.", "m2"),
    end,
  ];

  test("a part of it: what was said since, and the last lines", async () => {
    const run = home.addRun([], { end_time: "2026-08-01T11:50:00.000Z" });
    run.say(story.slice(0, 5), "2026-08-01T11:00:10.000Z");
    run.say([...story.slice(5), closed], "2026-08-01T11:50:00.000Z");
    const { lines } = await cox(logs, "latest", "--since", "2026-08-01T11:30Z");
    expect(lines.slice(0, 3)).toEqual(["", "✓ allowed by tom@box: Run ls", "✓ ls  2 lines"]);
    expect((await cox(logs, "latest", "--since", "30m")).lines).toEqual(lines);
    expect((await cox(logs, "latest", "--tail", "4")).lines).toEqual(lines.slice(-4));
    const seqs = ({ lines }: { lines: string[] }) => lines.map((line) => JSON.parse(line).seq);
    expect(seqs(await cox(logs, "latest", "--json", "--tail", "2"))).toEqual([11, 12]);
    expect(seqs(await cox(logs, "latest", "--json", "--since", "30m"))).toEqual([6, 7, 8, 9, 10, 11, 12]);
    expect((await cox(logs, "latest", "--since", "30m ago")).lines).toEqual(lines);
    await expect(cox(logs, "latest", "--since", "yesterday")).rejects.toThrow(
      'yesterday": not a time; use 90s, 10m, 2h or 7d (ago), or a date: 2026-08-01, ',
    );
    await expect(cox(logs, "latest", "--raw", "--tail", "2")).rejects.toThrow("are for events");
  });

  test("what was said before is not repeated, though its last line had no end", async () => {
    const old = home.addRun([], { end_time: "2026-08-01T11:00:20.000Z" });
    old.say([...story, closed], "2026-08-01T11:00:10.000Z");
    expect((await cox(logs, "latest", "--since", "30m")).out).toBe("");
    const longer = home.addRun([], { end_time: "2026-08-01T11:50:00.000Z" });
    longer.say([opened, begin, say("Before.", "m1")], "2026-08-01T11:00:10.000Z");
    longer.say([say("After.", "m2"), end, closed], "2026-08-01T11:50:00.000Z");
    const { lines } = await cox(logs, "latest", "--since", "30m");
    expect(lines.slice(0, 3)).toEqual(["", "After.", ""]);
    expect(lines.join()).not.toContain("Before");
  });

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
      "✓ r1 completed · 1 turn · 1m 30s",
      "  output:",
      expect.stringMatching(/^\/.*output\.md$/),
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
    expect((await cox(logs, run.id)).out).toContain(`cox answer ${run.name}.p7 allow|always|deny`);
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
    const done = runCommand(logs, [run.id, "-f"], context);
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
    await runCommand(output, [run.id], context);
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
  test("how full the window is, and who says how large it is", async () => {
    const window: AgentEvent = { type: "context_window", used: 15_000, size: 200_000 };
    const run = home.addRun([opened, begin, { ...window, used: 1 }, window, end, closed]);
    expect((await cox(show, run.id)).out).toContain("15k of 200k tokens (7.5 %), 185k left\n");
    const other = home.addRun([opened, begin, { ...window, sizeFrom: "definition" }, end, closed]);
    expect((await cox(show, other.id)).out).toContain("185k left; the size is what its definition says\n");
    const { context } = JSON.parse((await cox(show, other.id, "--json")).out);
    expect(context).toEqual({
      used: 15_000,
      size: 200_000,
      remaining: 185_000,
      efficiency: 7.5,
      sizeFrom: "definition",
    });
  });

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
    expect(out).toContain(`cox answer ${run.name}.p1 allow|always|deny`);
    expect(out).not.toContain(`${run.name}.p0`);
  });

  test("--json", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    const record = JSON.parse((await cox(show, run.id, "--json")).out);
    expect(record).toMatchObject({
      run_id: run.id,
      state: "waiting",
      requests: [{ pendingId: "p0", answer: [`cox answer ${run.name}.p0 allow|always|deny`] }],
    });
    expect(record.files.map((file: { path: string }) => file.path)).toContain(run.paths.events);
  });

  test("one that began without words is called after the first ones, as in the list", async () => {
    const run = home.addRun([opened, ask("let us fix it\nand more"), begin, end, closed], {}, "");
    expect(JSON.parse((await cox(show, run.id, "--json")).out)).toMatchObject({ title: "let us fix it" });
    expect((await cox(show, run.id)).out).toMatch(/title +let us fix it\n/);
  });

  test.each(["r1", "latest", "proj/task", "task", "ta", "0000042-0001", ID])("every command takes %s", async (name) => {
    const run = home.addRun([opened, begin, say("Done."), end, closed]);
    writeFileSync(run.paths.output, "done\n");
    expect(run.id).toBe(ID);
    expect((await cox(show, name)).out).toContain(`id         ${ID}`);
    expect((await cox(logs, name)).out).toContain("✓ r1 completed");
    expect((await cox(output, name)).out).toBe("done\n");
    expect((await cox(wait, name)).out).toBe("r1 completed\n");
    expect((await cox(tree, name)).out).toMatch(/^r1 {2}demo/);
    for (const spec of [prompt, interrupt]) {
      const told = cox(spec, name, ...(spec === prompt ? ["and now"] : []));
      await expect(told).rejects.toThrow('run r1: has ended, completed; go on with `cox run --resume r1 "…"`');
    }
    for (const spec of [diff, undo]) await expect(cox(spec, name)).rejects.toThrow("run r1: ");
    await expect(cox(play, name)).rejects.toThrow("run r1: no terminal was recorded");
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
