import { describe, expect, test } from "vitest";
import { blankRunInfo } from "../../../contract/runs/run.ts";
import { type TaskSummary, untouched } from "../../../contract/tasks/task.ts";
import type { TaskWork } from "../../../core/runs/task-work.ts";
import type { Key } from "../view/live/keys.ts";
import { decisionIn, emptyReview, finished, follow, learn, pressKey, type Review } from "./review-state.ts";
import { testWork } from "./testing/test-work.ts";

const task = (name: string, run = "r"): TaskSummary => ({
  ...untouched,
  state: "review",
  run,
  project: "p",
  task: name,
  title: `Title of ${name}`,
  agent: "demo",
  priority: 0,
  depends_on: [],
  created: "",
});

const one = task("one");
const two = task("two");
const three = task("three");
const gone = () => "done by tom";
const inWorktree = testWork({ uncommitted: 0, unmerged: 1 });
const dirty = testWork({ uncommitted: 2, unmerged: 0 });
const inCheckout: TaskWork = { ...testWork({ uncommitted: 0, unmerged: 0 }), worktree: undefined, run: blankRunInfo };

/** At the first of three, all that is known of it known. */
const begin = (work: TaskWork = inWorktree): Review => learn(follow(emptyReview, [one, two, three], gone), one, work);
const names: Readonly<Record<string, Key["key"]>> = {
  "←": "left",
  "→": "right",
  "⏎": "enter",
  "⎋": "escape",
  "⌫": "clear",
};

function type(review: Review, keys: string, isSettled = true) {
  let last: ReturnType<typeof pressKey> = { review };
  for (const sign of keys) {
    const name = names[sign];
    const key = name === undefined ? { key: "text" as const, text: sign } : ({ key: name } as Key);
    last = pressKey(last.review, key, { isSettled, isRead: true });
  }
  return last;
}
const at = ({ focus }: Review) => focus?.task;

describe("keys", () => {
  test.each([
    ["m, all committed", inWorktree, "m", { do: "merge", task: one, message: undefined }],
    ["m, with what is not, under its title", dirty, "m⏎", { do: "merge", task: one, message: "Title of one" }],
    ["m, with another message", dirty, "m⌫mine⏎", { do: "merge", task: one, message: "mine" }],
    ["m, in the person's own checkout", inCheckout, "m", { do: "finish", task: one }],
    ["s", inWorktree, "smore⏎", { do: "send-back", task: one, text: "more" }],
    ["x and yes", inWorktree, "xy", { do: "drop", task: one }],
    ["q", inWorktree, "q", { do: "leave" }],
  ])("%s", (_, work, keys, action) => {
    expect(type(begin(work), keys).action).toEqual(action);
  });

  test.each([
    ["x and no", "xn"],
    ["x and anything else", "xm"],
    ["an empty comment", "s⏎⎋"],
    ["a comment that is taken back", "sno⎋"],
  ])("%s does nothing", (_, keys) => {
    expect(type(begin(), keys)).toEqual({ review: begin() });
  });

  test.each(["m", "s", "x", "q", "?"])("%s does nothing before the keys had their rest", (key) => {
    expect(type(begin(), key, false)).toEqual({ review: begin() });
  });

  test.each(["m", "s", "x"])("%s does nothing before there is something to judge", (key) => {
    const unread = follow(emptyReview, [one], gone);
    expect(type(unread, key)).toEqual({ review: unread });
  });

  test("what is pasted decides nothing", () => {
    const pasted = { key: "text", text: "m", pasted: true } as const;
    expect(pressKey(begin(), pasted, { isSettled: true, isRead: true })).toEqual({ review: begin() });
  });

  test("while something is done, no key does anything else", () => {
    const { review } = type(begin(), "m");
    expect(type(review, "mxynq")).toEqual({ review });
  });

  test.each([
    ["n", "two"],
    ["nn", "three"],
    ["nnn", "three"],
    ["→←", "one"],
    ["np", "one"],
  ])("%s", (keys, name) => {
    expect(at(type(begin(), keys, false).review)).toBe(name);
  });

  test("d turns to the diff and back; the next one begins with its overview", () => {
    expect(type(begin(), "d").review.diff).toBe(true);
    expect(type(begin(), "dd").review.diff).toBe(false);
    expect(type(begin(), "dn").review.diff).toBe(false);
  });
});

describe("afterwards", () => {
  test("what was done makes way for the next", () => {
    const review = finished(type(begin(), "m").review);
    expect([at(review), review.tasks, review.doing]).toEqual(["two", [two, three], { stage: "look" }]);
  });

  test("what failed stays, with its trouble, and is looked at anew", () => {
    const before = begin();
    const review = finished(type(before, "m").review, "conflicts in a.txt");
    expect(review).toMatchObject({
      focus: one,
      work: undefined,
      trouble: "conflicts in a.txt",
      doing: { stage: "look" },
    });
    expect(review.tries).toBe(before.tries + 1);
    expect(type(learn(review, one, inWorktree), "m").review.trouble).toBe("");
  });

  test("after the last one there is nothing, until another comes", () => {
    const alone = learn(follow(emptyReview, [one], gone), one, inWorktree);
    const review = finished(type(alone, "m").review);
    expect(review.focus).toBeUndefined();
    expect(type(review, "q").action).toEqual({ do: "leave" });
    expect(at(follow(review, [two], gone))).toBe("two");
  });
});

describe("what others do", () => {
  test("what is no longer in review makes way", () => {
    expect(at(follow(begin(), [two, three], gone))).toBe("two");
  });

  test("while something is done with it, it stays", () => {
    expect(at(follow(type(begin(), "m").review, [two, three], gone))).toBe("one");
  });

  test("a comment that is being typed stays text, and does nothing to the next", () => {
    const over = follow(type(begin(), "swhy").review, [two, three], gone);
    expect(over.doing).toMatchObject({ stage: "over", because: "done by tom", draft: { text: "why" } });
    const { review, action } = type(over, " m");
    expect([at(review), action]).toEqual(["one", undefined]);
    expect(type(review, "⏎")).toMatchObject({ review: { focus: two, doing: { stage: "look" } } });
  });

  test("what comes later doesn't take the focus, and what was read of another task is not taken for this one", () => {
    const review = follow(follow(emptyReview, [one, two], gone), [task("zero"), one, two], gone);
    expect(at(review)).toBe("one");
    expect(learn(review, two, dirty).work).toBeUndefined();
  });

  test("another run of the same task is other work", () => {
    const again = task("one", "r2");
    expect(follow(begin(), [again], gone)).toMatchObject({ focus: again, work: undefined });
  });
});

test.each<[string, string, TaskWork, string | undefined]>([
  ["", "m", inWorktree, "merge"],
  ["", "m", inCheckout, "done"],
  ["", "s", inWorktree, "send back"],
  ["", "x", inWorktree, undefined],
  ["x", "y", inWorktree, "drop it"],
  ["x", "n", inWorktree, undefined],
  ["s", "m", inWorktree, undefined],
  ["", "d", inWorktree, undefined],
  ["?", "m", inWorktree, undefined],
])("after %j, what %j decides all by itself", (before, text, work, does) => {
  const { review } = type(begin(work), before);
  const settled = { isSettled: true, isRead: true };
  expect(decisionIn(review, { key: "text", text }, settled)).toBe(does);
  expect(decisionIn(review, { key: "text", text }, { ...settled, isSettled: false })).toBeUndefined();
  expect(decisionIn(emptyReview, { key: "text", text }, settled)).toBeUndefined();
});

test("what was read of a run that was still running is read again when it has ended", () => {
  const live = { ...one, live: true };
  const reading = learn(follow(emptyReview, [live, two], gone), live, inWorktree);
  expect(follow(reading, [live, two], gone)).toMatchObject({ work: inWorktree });
  const typing = type(reading, "shm").review;
  const after = follow(typing, [one, two], gone);
  expect(after).toMatchObject({ focus: one, work: undefined, doing: { stage: "comment", draft: { text: "hm" } } });
  expect(learn(after, one, inWorktree)).toMatchObject({ work: inWorktree });
});
