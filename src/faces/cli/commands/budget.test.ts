import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentEvent } from "../../../contract/events.ts";
import { budgetsFor } from "../../../core/runner/limits/budgets.ts";
import { appendLedger } from "../../../core/store/ledger/ledger.ts";
import { runCommand } from "../../../lib/command/command.ts";
import { testContext } from "../testing/test-context.ts";
import { TestHome } from "../testing/test-home.ts";
import budget from "./budget.ts";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

async function cox(...[verb = "", ...args]: string[]) {
  const context = testContext({ env: home.env });
  const code = await runCommand(budget, [verb, "--project", "proj", ...args], context);
  return { code, out: context.out() };
}

const usage = (costUsd: number): AgentEvent => ({ type: "usage", turn: "t", usage: { input: 50, output: 0, costUsd } });
const file = () => readFileSync(join(home.root, "projects/proj/budget.yaml"), "utf8");
const given = testContext();

/** The runs of these tests began at 11:00 and took 90 s; the clock stands at 12:00. */
describe("cox budget", () => {
  test("without one it tells what was spent", async () => {
    home.addRun([], { cost_usd: 1.5, input_tokens: 1000, output_tokens: 234, turns: 3 });
    home.addRun([], { cost_usd: 99, project_id: "another" });
    expect((await cox("show")).out).toBe(
      "project proj has no budget; so far it has spent $1.50, 1.2k tokens, 3 turns, 1m 30s\n",
    );
  });

  test("set keeps what it isn't told, and none takes a limit away", async () => {
    await cox("set", "--max-cost", "5", "--max-time", "2h", "--since", "2026-07-01");
    expect(file()).toBe('since: "2026-07-01T00:00:00.000Z"\nmax_cost_usd: 5\nmax_time_ms: 7200000\n');
    await cox("set", "--max-cost", "7.5", "--max-tokens", "1000");
    await cox("set", "--max-time", "none");
    expect(file()).toBe('since: "2026-07-01T00:00:00.000Z"\nmax_cost_usd: 7.5\nmax_tokens: 1000\n');
  });

  test("begins to count when it is first set", async () => {
    home.addRun([], { cost_usd: 4 });
    const { out } = await cox("set", "--max-cost", "5");
    expect(out).toContain("since 2026-08-01T12:00:00.000Z\ncost    $0.00  of $5.00\n");
  });

  test("counts ended, deleted and live runs since its date", async () => {
    home.addRun([], { cost_usd: 50, start_time: "2026-06-01T00:00:00.000Z" });
    home.addRun([], { cost_usd: 1, input_tokens: 10, turns: 1 });
    const gone = home.addRun([], { cost_usd: 2, input_tokens: 10, turns: 1 });
    appendLedger(home.home, { type: "gone", run_id: gone.id, at: "2026-08-01T11:30:00.000Z" });
    await home.addLiveRun([usage(0.25), usage(0.5)]);
    const { out } = await cox("set", "--max-cost", "4", "--since", "2026-07-01");
    expect(out).toContain("nearly used up");
    expect(JSON.parse((await cox("show", "--json")).out)).toMatchObject({
      limits: { maxCostUsd: 4 },
      spent: { costUsd: 3.5, tokens: 70, turns: 2 },
    });
  });

  test("a project that has used it up starts nothing, and says what to do", async () => {
    home.addRun([], { cost_usd: 5 });
    await cox("set", "--max-cost", "5", "--since", "2026-07-01");
    expect((await cox("show")).out).toContain("used up, no run is started");
    expect(() => budgetsFor(home.home, "proj", undefined, given.clock)).toThrow(
      /project proj: its budget is used up: \$5.00 of \$5.00 \(--max-cost\) since 2026-07-01.*cox budget set/,
    );
    expect(budgetsFor(home.home, "another", undefined, given.clock)).toEqual([]);
  });

  test("for a run the others of its project count, and what it started", async () => {
    const parent = await home.addLiveRun();
    home.addRun([], { cost_usd: 1, parent_run_id: parent.id, turns: 9 });
    home.addRun([], { cost_usd: 2 });
    await cox("set", "--max-cost", "50", "--since", "2026-07-01");
    const spent = { costUsd: 0.5, tokens: 0, turns: 1, timeMs: 0 };
    const budgets = budgetsFor(home.home, "proj", { of: "this loop", limits: { maxCostUsd: 9 }, spent }, given.clock);
    expect(budgets.map((each) => [each.of, each.before(parent.id).costUsd, each.before(parent.id).turns])).toEqual([
      ["this loop", 1.5, 1],
      ["project proj", 3, 10],
    ]);
  });

  test.each([
    [["set"], /say what to limit/],
    [["set", "--max-cost", "0"], /--max-cost "0": not an amount/],
    [["set", "--max-turns", "1.5"], /not a whole number/],
    [["set", "--max-cost", "1", "--since", "yesterday"], /not a date/],
    [["lift"], /show|set/],
  ])("refuses %j", async (args, message) => {
    await expect(cox(...args)).rejects.toThrow(message);
  });

  test("inside a run nobody raises it", async () => {
    const context = testContext({ env: { ...home.env, COX_RUN_ID: "x" } });
    await expect(runCommand(budget, ["set", "--max-cost", "100", "--project", "proj"], context)).rejects.toThrow(
      /ask a person/,
    );
  });

  test("a limit doesn't vanish by a typing mistake in the file", async () => {
    await cox("set", "--max-cost", "5");
    writeFileSync(join(home.root, "projects/proj/budget.yaml"), "since: 2026-08-01\n# ours\nmax_cost_usd: five\n");
    await expect(cox("show")).rejects.toThrow(/budget.yaml, line 3: not a budget/);
  });
});
