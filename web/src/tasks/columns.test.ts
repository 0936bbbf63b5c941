import { describe, expect, test } from "vitest";
import type { TaskItem } from "../../../src/contract/api/values.ts";
import { taskStates } from "../../../src/contract/tasks/task.ts";
import { actionsFor, changedLines, columnOf, columns, dropAction, fits, inOrder } from "./columns.ts";

const task = (change: Partial<TaskItem>): TaskItem => ({
  project: "p",
  task: "t",
  title: "Title",
  state: "todo",
  cause: "created",
  since: "2026-01-01T00:00:00Z",
  by: "",
  reason: "",
  agent: "demo",
  priority: 0,
  depends_on: [],
  blocked_by: [],
  created: "2026-01-01T00:00:00Z",
  run: "",
  live: false,
  runs: 0,
  review: true,
  requests: 0,
  ...change,
});

describe("the board", () => {
  test.each(taskStates)("%s has a column", (state) => {
    expect(columns.map(({ id }) => id)).toContain(columnOf({ state }));
  });

  test("failed and cancelled tasks stay in the column they left", () => {
    expect(columnOf({ state: "failed", from_state: "in_progress" })).toBe("working");
    expect(columnOf({ state: "cancelled", from_state: "review" })).toBe("review");
    expect(columnOf({ state: "cancelled", from_state: "queued" })).toBe("todo");
  });

  test.each([
    ["a new task", task({}), ["start", "enqueue", "done", "cancel"]],
    ["a queued one", task({ state: "queued" }), ["start", "stop", "cancel"]],
    ["one at work", task({ state: "in_progress", live: true, run: "r" }), ["stop", "cancel"]],
    ["one under review", task({ state: "review", live: true, run: "r" }), ["stop", "send-back", "done", "cancel"]],
    ["a failed one", task({ state: "failed", run: "r" }), ["resume", "enqueue", "send-back", "done", "cancel"]],
    ["a cancelled one", task({ state: "cancelled", run: "r" }), []],
  ])("%s may be …", (_, given, actions) => {
    expect(actionsFor(given)).toEqual(actions);
  });

  test.each([
    ["starts", task({}), "working", "start"],
    ["stops", task({ state: "in_progress", live: true, run: "r" }), "todo", "stop"],
    ["is accepted", task({ state: "review", run: "r" }), "done", "done"],
    ["is sent back, with words", task({ state: "review", run: "r" }), "working", "send-back"],
    ["goes on", task({ state: "failed", from_state: "review", run: "r" }), "working", "resume"],
    ["can't be made to wait", task({}), "waiting", undefined],
    ["stays", task({}), "todo", undefined],
    ["can't be done while it works", task({ state: "in_progress", live: true, run: "r" }), "done", undefined],
  ] as const)("a dropped card %s", (_, given, column, action) => {
    expect(dropAction(given, column)).toBe(action);
  });

  test("the queue comes first, in its order, and what is blocked last", () => {
    const list = [
      task({ task: "blocked", state: "blocked" }),
      task({ task: "urgent", priority: 9 }),
      task({ task: "second", state: "queued", position: 2 }),
      task({ task: "plain" }),
      task({ task: "first", state: "queued", position: 1 }),
    ];
    expect(inOrder("todo", list).map((item) => item.task)).toEqual(["first", "second", "urgent", "plain", "blocked"]);
  });

  test("who waits longest stands on top", () => {
    const list = [task({ task: "later", since: "2026-01-02" }), task({ task: "earlier", since: "2026-01-01" })];
    expect(inOrder("waiting", list)[0]?.task).toBe("earlier");
    expect(inOrder("done", list)[0]?.task).toBe("later");
  });

  test("a filter takes every word, wherever it stands", () => {
    const given = task({ title: "Fix the login", branch: "cox/login", agent: "codex" });
    expect(fits(given, { project: "", agent: "", text: "LOGIN codex" })).toBe(true);
    expect(fits(given, { project: "", agent: "", text: "login claude" })).toBe(false);
    expect(fits(given, { project: "other", agent: "", text: "" })).toBe(false);
  });

  test.each([
    ["3 files, +10 −2", { added: "10", removed: "2" }],
    ["1 file, +0 −7", { added: "0", removed: "7" }],
    ["0 files, +0 −0", undefined],
    ["", undefined],
  ])("what changed, of %j", (stat, lines) => {
    expect(changedLines(stat)).toEqual(lines);
  });
});
