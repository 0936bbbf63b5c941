import { expect, test } from "vitest";
import { untouched } from "../../../contract/tasks/task.ts";
import type { TaskWork } from "../../../core/runs/task-work.ts";
import { noColours } from "../../../lib/command/paint.ts";
import { renderBody, reviewSheet } from "./review-sheet.ts";
import { emptyReview, follow, learn, pressKey, type Review } from "./review-state.ts";
import { testWork } from "./testing/test-work.ts";

const NOW = Date.parse("2026-08-01T12:00:00Z");
const task = {
  ...untouched,
  state: "review" as const,
  since: "2026-08-01T11:57:00.000Z",
  project: "p",
  task: "one",
  title: "Fix the login test",
  agent: "demo",
  priority: 0,
  depends_on: [],
  created: "",
};
const work = testWork({ uncommitted: 1, unmerged: 2 });
const begin = (found: TaskWork = work) =>
  learn(
    follow(emptyReview, [task], () => ""),
    task,
    found,
  );
const sheet = (review: Review, width = 60) => reviewSheet(review, NOW, renderBody, { width, paint: noColours });
const press = (text: string, review = begin()) =>
  pressKey(review, { key: "text", text }, { isSettled: true, isRead: true }).review;

test("what came of it", () => {
  expect(sheet(begin())).toMatchObject({
    head: ["1 of 1 · p/one · in review for 3m", "demo · r7 completed · 1m 30s · $0.25 · 2 runs"],
    body: [
      "Fix the login test",
      "",
      "I fixed it.",
      "",
      "tests: 42 passed",
      "modify  +1 −1  a.txt",
      "1 file, +1 −1 on cox/one, for main, 1 file not committed",
    ],
    foot: ["[m]erge [s]end back [x]drop [d]iff [?]"],
  });
});

test("the diff, with what hides in it", () => {
  expect(sheet(press("d")).body).toEqual(["@@ -1 +1 @@", "-a", "+b\\u{200b}"]);
});

test("a drop says what is lost, and keys rest before it is confirmed", () => {
  const asked = sheet(press("x"));
  expect(asked.foot.join(" ")).toBe(
    "give p/one up for good? cox/one and its worktree are deleted, with 1 uncommitted file and 2 unmerged commits [y]es, drop it  [n]o",
  );
  expect(asked.asks).not.toBe(sheet(begin()).asks);
});

test("a message and a comment are typed below", () => {
  expect(sheet(press("m"))).toMatchObject({
    foot: ["merge; commit message? (Esc: back)", "> Fix the login test"],
    cursor: 20,
  });
  expect(sheet(press("s"))).toMatchObject({ foot: ["send back; what is missing? (Esc: back)", "> "], cursor: 2 });
});

test("work in the person's own checkout is not merged, but done", () => {
  const shown = sheet(begin({ ...work, worktree: undefined, left: { uncommitted: 0, unmerged: 0 } }));
  expect(shown.foot).toEqual(["[m] done [s]end back [x]drop [d]iff [?]"]);
});

test("why nobody knows what was changed", () => {
  expect(sheet(begin({ ...work, files: { unknown: "no repository" } })).body.at(-1)).toBe("no diff: no repository");
});

test("no line is wider than a window of 40, and keys rest when the work is there", () => {
  const changed = { change: "modify" as const, added: 1, removed: 1, binary: false };
  const long = { ...work, said: "word ".repeat(40), files: [{ ...changed, path: "x".repeat(80) }] };
  const shown = sheet(begin(long), 39);
  expect([...shown.head, ...shown.body, ...shown.foot].filter((line) => line.length > 39)).toEqual([]);
  expect(shown.asks).not.toBe(sheet(follow(emptyReview, [task], () => "")).asks);
});

test("no task is in review", () => {
  expect(sheet(emptyReview).body).toEqual(["no task is in review; what comes is shown here"]);
});
