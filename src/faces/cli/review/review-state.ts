import type { TaskSummary } from "../../../contract/tasks/task.ts";
import type { TaskWork } from "../../../core/runs/task-work.ts";
import { taskName } from "../../../core/store/task-file.ts";
import { type Draft, edit, emptyDraft } from "../view/live/draft.ts";
import type { Key } from "../view/live/keys.ts";
import type { KeyTime } from "../view/terminal/full-screen.ts";
import { placeAfter, stepOf } from "../view/terminal/steps.ts";

/** What is being done with the task that is looked at. */
export type Doing =
  | { stage: "look" }
  /** Merged when the message of the commit is confirmed. */
  | { stage: "message"; draft: Draft }
  /** Sent back when it is said what is missing. */
  | { stage: "comment"; draft: Draft }
  /** Dropped when that is confirmed. */
  | { stage: "drop" }
  | { stage: "busy"; words: string }
  /** It is no longer in review. What is typed stays text: its next letter must do nothing to the next task. */
  | { stage: "over"; because: string; draft: Draft };

export interface Review {
  /** The longest waiting first. */
  readonly tasks: readonly TaskSummary[];
  /** What the person looks at; it may be gone, while something is typed. */
  readonly focus: TaskSummary | undefined;
  /** What came of it, once that is read. */
  readonly work: TaskWork | undefined;
  readonly doing: Doing;
  /** The diff, instead of the overview. */
  readonly diff: boolean;
  readonly help: boolean;
  /** Grows with everything that was tried: keys rest after it, too. */
  readonly tries: number;
  /** Why the last of it failed. */
  readonly trouble: string;
}

const LOOK: Doing = { stage: "look" };

export const emptyReview: Review = {
  tasks: [],
  focus: undefined,
  work: undefined,
  doing: LOOK,
  diff: false,
  help: false,
  tries: 0,
  trouble: "",
};

const isSame = (a: TaskSummary, b: TaskSummary) => taskName(a) === taskName(b);

/** A second run of the same task is other work. */
const isSameWork = (a: TaskSummary, b: TaskSummary) => isSame(a, b) && a.run === b.run && a.since === b.since;

/** These are in review now. `because`: why one no longer is. */
export function follow(review: Review, tasks: readonly TaskSummary[], because: (task: TaskSummary) => string): Review {
  const { focus, doing } = review;
  const now = { ...review, tasks };
  if (focus === undefined) return toward(now, 0);
  const same = tasks.find((task) => isSameWork(task, focus));
  // A turn's end puts a task in review; its run ends a moment later, and what was read of it until then is old.
  if (same !== undefined && same.live !== focus.live) return { ...now, focus: same, work: undefined };
  if (same !== undefined || doing.stage === "busy") return now;
  const isTyping = doing.stage === "message" || doing.stage === "comment" || doing.stage === "over";
  if (isTyping) return { ...now, doing: { stage: "over", because: because(focus), draft: doing.draft } };
  const at = review.tasks.findIndex((task) => isSame(task, focus));
  return toward(now, at);
}

/** All that is known of the task that is looked at. */
export function learn(review: Review, task: TaskSummary, work: TaskWork): Review {
  return review.focus !== undefined && isSameWork(review.focus, task) ? { ...review, work } : review;
}

/** What was begun is over. Where it failed, with the trouble it had, the task is still there. */
export function finished(review: Review, trouble = ""): Review {
  const now = { ...review, doing: LOOK, tries: review.tries + 1, trouble, diff: false };
  const { focus } = review;
  // What was tried may have left its traces: it is read again.
  if (trouble !== "" || focus === undefined) return { ...now, work: undefined };
  const at = review.tasks.findIndex((task) => isSame(task, focus));
  return toward({ ...now, tasks: review.tasks.filter((task) => !isSame(task, focus)) }, at);
}

export type ReviewAction =
  | { do: "merge"; task: TaskSummary; message: string | undefined }
  | { do: "finish"; task: TaskSummary }
  | { do: "send-back"; task: TaskSummary; text: string }
  | { do: "drop"; task: TaskSummary }
  | { do: "leave" };

export interface Pressed {
  review: Review;
  action?: ReviewAction;
}

/** One key further. Looking and moving harm nothing, so they need no rest; what decides does. */
export function pressKey(review: Review, key: Key, { isSettled }: KeyTime): Pressed {
  if (review.help) return { review: { ...review, help: false } };
  const letter = key.key === "text" && !key.pasted ? key.text : "";
  const { focus, doing } = review;
  if (focus === undefined) return letter === "q" ? { review, action: { do: "leave" } } : { review };
  switch (doing.stage) {
    case "busy":
      return { review };
    case "over":
      if (key.key !== "enter" && key.key !== "escape")
        return typed(review, { ...doing, draft: edit(doing.draft, key) });
      return { review: toward(review, 0) };
    case "message":
    case "comment":
      return typing(review, focus, doing, key);
    case "drop": {
      if (!isSettled) return { review };
      if (letter !== "y") return { review: { ...review, doing: LOOK } };
      return { review: busy(review, "dropping it …"), action: { do: "drop", task: focus } };
    }
    case "look": {
      const seen = look(review, key, letter);
      if (seen !== undefined) return { review: seen };
      return isSettled ? decide(review, focus, letter) : { review };
    }
  }
}

/** What a key would decide all by itself, or begin to, in words. Whoever drops is asked again. */
export function decisionIn({ help, focus, work, doing }: Review, key: Key, { isSettled }: KeyTime): string | undefined {
  if (help || focus === undefined || work === undefined || !isSettled || key.key !== "text" || key.pasted)
    return undefined;
  if (doing.stage === "drop") return key.text === "y" ? "drop it" : undefined;
  if (doing.stage !== "look") return undefined;
  if (key.text === "s") return "send back";
  if (key.text !== "m") return undefined;
  return work.worktree === undefined ? "done" : "merge";
}

function look(review: Review, key: Key, letter: string): Review | undefined {
  if (letter === "d") return { ...review, diff: !review.diff };
  const step = stepOf(key, "n", "p");
  return step === 0 ? undefined : moved(review, step);
}

function decide(review: Review, task: TaskSummary, letter: string): Pressed {
  const { work } = review;
  if (letter === "q") return { review, action: { do: "leave" } };
  if (letter === "?") return { review: { ...review, help: true } };
  // What nobody has seen yet is not judged.
  if (work === undefined) return { review };
  switch (letter) {
    case "m": {
      if (work.worktree === undefined) return { review: busy(review, "done …"), action: { do: "finish", task } };
      const { uncommitted } = work.left;
      if (uncommitted === 0) return merging(review, task, undefined);
      const text = task.title.trim() || task.task;
      return typed(review, { stage: "message", draft: { text, cursor: Array.from(text).length } });
    }
    case "s":
      return typed(review, { stage: "comment", draft: emptyDraft });
    case "x":
      return typed(review, { stage: "drop" });
    default:
      return { review };
  }
}

function typing(
  review: Review,
  task: TaskSummary,
  doing: Extract<Doing, { stage: "message" | "comment" }>,
  key: Key,
): Pressed {
  if (key.key === "escape") return typed(review, LOOK);
  if (key.key !== "enter") return typed(review, { ...doing, draft: edit(doing.draft, key) });
  const text = doing.draft.text.trim();
  if (text === "") return { review };
  if (doing.stage === "message") return merging(review, task, text);
  return { review: busy(review, "sending it back …"), action: { do: "send-back", task, text } };
}

const typed = (review: Review, doing: Doing): Pressed => ({ review: { ...review, doing } });
const busy = (review: Review, words: string): Review => ({ ...review, doing: { stage: "busy", words }, trouble: "" });
const merging = (review: Review, task: TaskSummary, message: string | undefined): Pressed => ({
  review: busy(review, "merging …"),
  action: { do: "merge", task, message },
});

function moved(review: Review, step: number): Review {
  const { tasks, focus } = review;
  const at = tasks.findIndex((task) => focus !== undefined && isSame(task, focus));
  const next = tasks[placeAfter(at, step, tasks.length)];
  return next === undefined || at === -1 || next === tasks[at] ? review : looking(review, next);
}

/** The one at this place, or the first. */
function toward(review: Review, at: number): Review {
  const next = review.tasks[at] ?? review.tasks[0];
  return next === undefined ? { ...review, focus: undefined, work: undefined, doing: LOOK } : looking(review, next);
}

const looking = (review: Review, task: TaskSummary): Review => ({
  ...review,
  focus: task,
  work: undefined,
  doing: LOOK,
  diff: false,
  trouble: "",
});
