import { describe, expect, test } from "vitest";
import type { RecordedEvent } from "../../src/contract/events.ts";
import { scene, until } from "../support/cox.ts";

const demo = ["--agent", "demo", "--permissions", "allow"];
/** Half a dollar again and again, with work in between, for as long as it is let. */
const runaway = Array.from({ length: 200 }, () => "@usage 1000 1000 0.5\n@slow 20 50").join("\n");

const costOf = (event: RecordedEvent) => (event.type === "usage" ? event.usage.costUsd : undefined);
const codes = (events: readonly RecordedEvent[]) =>
  events.flatMap((event) => (event.type === "notice" ? [event.code] : []));

describe("a budget", () => {
  test("stops a runaway at the event that goes over it, and the figures are in the record", async () => {
    const made = scene();
    const { code, stdout } = await made.cox(["run", ...demo, "--max-cost", "2.2", "--", runaway]);
    expect(code).toBe(124);
    const [run] = made.runs();
    const events = run?.events ?? [];
    const over = events.findIndex((event) => event.type === "notice" && event.code === "budget_over");
    // The limit is crossed by the fifth half dollar, and the next event of all says so.
    expect(costOf(events[over - 1] ?? events[0]!)).toBe(2.5);
    expect(events.slice(over).filter(({ type }) => type === "usage")).toEqual([]);
    expect(codes(events)).toEqual(["budget_near", "budget_over"]);
    const near = events.findIndex((event) => event.type === "notice" && event.code === "budget_near");
    expect(costOf(events[near - 1] ?? events[0]!)).toBe(2);
    expect(events.find(({ type }) => type === "complete")).toMatchObject({ outcome: "interrupted" });
    const summary = "this run has spent $2.50 of $2.20 (--max-cost): the budget is used up";
    expect(run?.info).toMatchObject({
      status: "failed",
      reason: "budget",
      exit_code: 124,
      error_summary: summary,
      cost_usd: 2.5,
      turns: 1,
    });
    expect(made.ledger().at(-1)).toMatchObject({ type: "end", reason: "budget", cost_usd: 2.5 });
    expect(stdout.replace(/\s+/g, " ")).toContain(summary);
  });

  test("that is not used up changes nothing", async () => {
    const made = scene();
    const { code } = await made.cox([
      "run",
      ...demo,
      "--max-cost",
      "1",
      "--max-turns",
      "1",
      "--",
      "@usage 10 10 0.5\n@say done",
    ]);
    expect(code).toBe(0);
    expect(made.runs()[0]?.info).toMatchObject({ status: "completed", reason: "", cost_usd: 0.5 });
  });

  test("work that is done when it turns out to have been too dear is still done", async () => {
    const made = scene();
    const { code } = await made.cox(["run", ...demo, "--max-tokens", "100", "--", "@usage 1000 1000\n@say done"]);
    expect(code).toBe(0);
    const [run] = made.runs();
    expect(run?.info).toMatchObject({ status: "completed", input_tokens: 1000, output_tokens: 1000 });
    expect(codes(run?.events ?? [])).toEqual(["budget_over"]);
  });

  test("that is used up at the end of a turn ends an interactive run, and no further turn follows", async () => {
    const made = scene();
    const script = "@usage 1000 1000\n@say done";
    const started = await made.cox(["run", "-d", "-i", ...demo, "--max-tokens", "3000", "--", script]);
    const runId = started.stdout.trim();
    await until(() => made.runs()[0]?.events.some(({ type }) => type === "complete"));
    expect((await made.cox(["prompt", runId, script])).code).toBe(0);
    expect((await made.cox(["wait", runId])).code).not.toBe(0);
    expect(made.runs()[0]?.info).toMatchObject({ reason: "budget", exit_code: 124, turns: 2, input_tokens: 2000 });
  });

  test("stops an agent that doesn't hear an interrupt", { timeout: 30_000 }, async () => {
    const made = scene();
    const { code } = await made.cox(["run", ...demo, "--max-cost", "1", "--", "@usage 1 1 5\n@ignore-sigterm\n@hang"]);
    expect(code).toBe(124);
    expect(made.runs()[0]?.info).toMatchObject({ reason: "budget", cost_usd: 5 });
  });

  test("of a loop counts all its attempts, also in the middle of one", async () => {
    const made = scene();
    const script = "@usage 10 10 0.4\n@slow 3 5\n@usage 10 10 0.4\n@slow 4 50\n@error server";
    const args = ["loop", ...demo, "--delay", "1ms", "--until", "done", "--max-cost", "1.5", "--", script];
    const { code, stdout, stderr } = await made.cox(args);
    expect(code).toBe(124);
    const runs = made.runs().map(({ info }) => info);
    expect(runs.map((info) => [info?.reason, info?.cost_usd])).toEqual([
      ["turn_failed", 0.8],
      ["budget", 0.8],
    ]);
    expect(stdout).toContain("this loop has spent $1.60 of $1.50 (--max-cost)");
    expect(stderr).toContain("failed after 2 attempts");
  });

  test("of a project counts all its runs, and then none is started", async () => {
    const made = scene();
    expect((await made.cox(["budget", "set", "--project", "p", "--max-cost", "1"])).code).toBe(0);
    const run = (script: string) => made.cox(["run", ...demo, "--project", "p", "--", script]);
    expect((await run("@usage 10 10 0.7\n@say one")).code).toBe(0);
    expect((await run(runaway)).code).toBe(124);
    expect(made.runs().at(-1)?.info).toMatchObject({ reason: "budget", cost_usd: 0.5 });
    const refused = await run("@say three");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("project p: its budget is used up: $1.20 of $1.00 (--max-cost)");
    expect(made.runs()).toHaveLength(2);
    expect((await made.cox(["budget", "show", "--project", "p"])).stdout).toContain("$1.20  of $1.00");
    await made.cox(["budget", "set", "--project", "p", "--max-cost", "5"]);
    expect((await run("@say three")).code).toBe(0);
  });

  test("of time ends a run of the project", async () => {
    const made = scene();
    await made.cox(["budget", "set", "--project", "p", "--max-time", "1s"]);
    expect((await made.cox(["run", ...demo, "--project", "p", "--", "@slow 1000 20"])).code).toBe(124);
    expect(made.runs()[0]?.info).toMatchObject({
      reason: "budget",
      error_summary: expect.stringContaining("(--max-time)"),
    });
  });
});
