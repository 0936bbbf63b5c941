import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { appendLedger, startRecord } from "../../../core/store/ledger/ledger.ts";
import { type CommandSpec, runCommand } from "../../../lib/command/command.ts";
import { testContext } from "../testing/test-context.ts";
import { ask, begin, end, opened, permission, resolved } from "../testing/test-events.ts";
import { TestHome } from "../testing/test-home.ts";
import logs from "./logs.ts";
import ls from "./ls.ts";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

const cox = (spec: CommandSpec, ...args: string[]) => home.cox(spec, ...args);

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
      "r5|demo|idle|1h|1h 00m|-|-|a title",
      "r4|demo|waiting for you|1h|1h 00m|-|-|a title",
      "r3|demo|running|1h|1h 00m|-|-|a title",
      "r2|demo|failed (timeout)|1h|1m 30s|1|-|a title",
      "r1|demo|completed|1h|1m 30s|3|$0.25|the first run",
    ]);
  });

  test.each([
    ["running", ["r3"]],
    ["waiting", ["r4"]],
    ["idle", ["r5"]],
    ["completed", ["r1"]],
    ["failed", ["r2"]],
  ])("--status %s", async (status, expected) => {
    home.addRun();
    home.addRun([], { status: "failed" });
    await home.addLiveRun([opened, begin]);
    await home.addLiveRun([opened, begin, permission("p0"), permission("p1"), resolved("p1")]);
    await home.addLiveRun([opened, begin, permission("p0"), resolved("p0"), end]);
    const { lines } = await cox(ls, "--status", status);
    expect(lines.slice(1).map((line) => line.slice(0, 2))).toEqual(expected);
  });

  test("a narrow terminal goes without what can be spared, and no line is broken", async () => {
    home.addRun([], { status: "failed", reason: "timeout", exit_code: 124 });
    const headAt = async (columns: number) => {
      const context = testContext({ env: home.env, tty: { columns, rows: 24 } });
      await runCommand(ls, [], context);
      const lines = context.out().trimEnd().split("\n");
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      return lines[0]?.split(/ {2,}/);
    };
    expect(await headAt(100)).toEqual(["RUN", "AGENT", "STATE", "AGE", "TIME", "TURNS", "COST", "TITLE"]);
    expect(await headAt(80)).toEqual(["RUN", "AGENT", "STATE", "AGE", "TIME", "TURNS", "COST", "TITLE"]);
    expect(await headAt(46)).toEqual(["RUN", "AGENT", "STATE", "AGE", "TITLE"]);
    expect(await headAt(36)).toEqual(["RUN", "STATE", "TITLE"]);
  });

  test("a conversation that began without words is called after the first ones", async () => {
    home.addRun([opened, ask("let us fix the parser\nand more"), begin, end], {}, "");
    home.addRun([opened], {}, "");
    const { lines } = await cox(ls);
    expect(lines.slice(1).map((line) => line.split(/ {2,}/)[7])).toEqual([undefined, "let us fix the parser"]);
    expect(JSON.parse((await cox(ls, "--json")).lines[1] ?? "")).toMatchObject({ title: "let us fix the parser" });
  });

  test("what a conversation has cost so far", async () => {
    await home.addLiveRun([opened, begin, end], { turns: 3, cost_usd: 0.5 });
    expect((await cox(ls)).lines[1]).toMatch(/ idle +1h +1h 00m +3 +\$0\.50 +a title$/);
  });

  test("a failed turn says of what", async () => {
    home.addRun([], { status: "failed", reason: "turn_failed", category: "auth", exit_code: 1 });
    expect((await cox(ls)).out).toContain("failed (auth)");
    expect(JSON.parse((await cox(ls, "--json")).out)).toMatchObject({ state: "failed", reason: "turn_failed" });
  });

  test("--agent, and what is left out is counted and named", async () => {
    for (const agent of ["demo", "claude", "demo", "claude", "claude"]) home.addRun([], { agent });
    const all = await cox(ls);
    expect([all.lines.length, all.err]).toEqual([6, ""]);
    const { lines, err } = await cox(ls, "--agent", "Claude", "-n", "1");
    expect(lines.slice(1).map((line) => line.split(/ {2,}/)[0])).toEqual(["r5"]);
    expect(err).toBe("2 more: cox ls --agent claude -n 3\n");
    expect((await cox(ls, "-n", "2")).err).toBe("3 more: cox ls -n 5\n");
    expect((await cox(ls, "-n", "2", "--json")).err).toBe("");
    expect((await cox(ls, "--agent", "nobody")).err).toBe("no runs with --agent nobody\n");
  });

  test("beyond a bound nobody counts", async () => {
    const { info } = home.addRun();
    for (let n = 0; n < 510; n += 1) appendLedger(home.home, startRecord({ ...info, handle: 0 }, ""));
    expect((await cox(ls, "-n", "2")).err).toBe("many more: cox ls -n 20\n");
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
    [["--status", "odd"], "choose running, waiting, idle, completed, failed"],
    [["odd"], "too many words"],
    [["--odd"], "see `cox ls --help`"],
  ])("%j is misuse", async (args, message) => {
    await expect(cox(ls, ...args)).rejects.toThrow(message);
  });
});
