import { afterEach, beforeEach, expect, test } from "vitest";
import { makeRule } from "../../../core/store/rules.ts";
import { columnsOf } from "../../../lib/command/columns.ts";
import { type CommandSpec, runCommand } from "../../../lib/command/command.ts";
import { noColours } from "../../../lib/command/paint.ts";
import { listAgents } from "../agents/list.ts";
import { testContext } from "../testing/test-context.ts";
import { begin, closed, end, opened, say } from "../testing/test-events.ts";
import { TestHome } from "../testing/test-home.ts";
import doctor, { renderCheck } from "./doctor.ts";
import rules from "./rules.ts";
import show from "./show.ts";
import tree from "./tree.ts";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

const COLUMNS = 60;
const terminal = () =>
  testContext({ env: { ...home.env, NO_COLOR: "1", PATH: "" }, tty: { columns: COLUMNS, rows: 24 } });

/** A single word that is longer, a path, is the terminal's to break. */
const tooLong = (out: string) =>
  out.split("\n").filter((line) => columnsOf(line) > COLUMNS && !/^(?:\S+ +|[-\w]+ +\S+ +)?\S+$/.test(line.trim()));

const ACTION = `git commit -m ${"one more word ".repeat(8)}`.trim();

test.each<[string, CommandSpec, string[], string]>([
  ["show", show, ["latest"], "it failed because of many things one after the other, and none of them was simple"],
  ["tree", tree, [], "a title"],
  ["rules ls", rules, [], ACTION],
  ["doctor", doctor, [], "install git: without it there are no diffs and no worktrees"],
])("%s keeps to the width of the terminal, and cuts nothing that matters", async (_, spec, args, whole) => {
  const error_summary = "it failed because of many things one after the other, and none of them was simple";
  home.addRun([opened, begin, say("Hi."), end, closed], { error_summary, status: "failed" }, "a title ".repeat(20));
  const rule = { decision: "allow", kind: "execute", match: ACTION, project: "web", agent: "demo" } as const;
  makeRule(home.home, rule, "ada", Date.parse("2026-08-01"));
  const context = terminal();
  await runCommand(spec, args, context);
  expect(tooLong(context.out())).toEqual([]);
  expect(context.out().replace(/\s+/g, " ")).toContain(whole);
});

test("agent ls, with all of how to use it", async () => {
  const context = terminal();
  await listAgents({}, context);
  expect(tooLong(context.out())).toEqual([]);
  expect(context.out()).not.toContain("…");
});

test("a check with its remedy, in rows", () => {
  const text = "only a little is left of it";
  const check = { name: "disk", status: "warn" as const, text, remedy: "remove what you can" };
  expect(renderCheck(check, { width: 40, paint: noColours }).split("\n")).toEqual([
    "warn  disk      only a little is left of",
    "                it",
    "                → remove what you can",
    "",
  ]);
});
