import { runName } from "../../../contract/ids.ts";
import { endingOf } from "../../../contract/runs/ending.ts";
import type { TaskSummary } from "../../../contract/tasks/task.ts";
import { formatAge, formatCost, formatDuration, plural } from "../../../contract/words/figures.ts";
import type { TaskWork } from "../../../core/runs/task-work.ts";
import { taskName } from "../../../core/store/task-file.ts";
import { diffStat } from "../../../core/workspaces/diff-parse.ts";
import type { WorkLeft } from "../../../core/workspaces/worktrees/work-left.ts";
import { fit, wrap } from "../../../lib/command/columns.ts";
import { noColours, type Page } from "../../../lib/command/paint.ts";
import { oneLine, printable, revealedLine } from "../../../lib/text/printable.ts";
import { renderFiles } from "../run-changes.ts";
import { renderPatches } from "../view/lines/patch-lines.ts";
import { renderDraft } from "../view/live/request-box.ts";
import { keysSheet, type Sheet } from "../view/terminal/sheet.ts";
import type { Doing, Review } from "./review-state.ts";

/** The task that is looked at: what came of it, or its diff, and the keys that decide. `bodyOf` may remember what it rendered. */
export function reviewSheet(review: Review, now: number, bodyOf: typeof renderBody, page: Page): Sheet {
  if (review.help) return keysSheet(KEYS, page);
  const { focus, work, doing, diff, tries, trouble } = review;
  if (focus === undefined) return emptySheet(page);
  const name = `${taskName(focus)} ${focus.run} ${work === undefined ? "unread" : ""}`;
  const failed = trouble === "" ? [] : [...wrap(trouble, page.width).map(page.paint.red), ""];
  return {
    id: `${name} ${tries} ${diff ? "diff" : ""}`,
    asks: `${name} ${tries} ${doing.stage === "drop" ? "drop" : ""}`,
    head: renderHead(review, focus, now, page),
    body: [...failed, ...(work === undefined ? ["…"] : bodyOf(focus, work, diff, page))],
    ...renderFoot(review, focus, doing, page),
  };
}

function renderHead({ tasks, work }: Review, task: TaskSummary, now: number, { width, paint }: Page): string[] {
  const at = tasks.findIndex((each) => taskName(each) === taskName(task));
  const place = at === -1 ? "" : `${at + 1} of ${tasks.length} ${paint.marks.dot} `;
  const run = work?.run;
  const parts = [
    run?.agent ?? task.agent,
    run === undefined ? "" : `${runName(run)} ${endingOf(run)}`,
    work === undefined ? "" : formatDuration(work.tookMs),
    formatCost(work?.costUsd ?? 0),
    work !== undefined && work.runs > 1 ? `${work.runs} runs` : "",
  ];
  return [
    paint.yellow(
      fit(
        `${place}${taskName(task)} ${paint.marks.dot} in review for ${formatAge(now - Date.parse(task.since))}`,
        width,
      ),
    ),
    paint.dim(
      fit(
        parts
          .filter((part) => part !== "")
          .map(oneLine)
          .join(` ${paint.marks.dot} `),
        width,
      ),
    ),
  ];
}

export function renderBody(task: TaskSummary, work: TaskWork, diff: boolean, page: Page): string[] {
  const { width, paint } = page;
  const { files, worktree, left, results, run } = work;
  if ("unknown" in files) {
    const unknown = wrap(`no diff: ${oneLine(files.unknown)}`, width).map(paint.red);
    return diff ? unknown : [...renderSaid(task, work, page), ...unknown];
  }
  if (diff) return files.length === 0 ? ["no file was changed"] : renderPatches(files, page);
  const where =
    worktree === undefined
      ? `in ${revealedLine(run?.cwd ?? "")}, your own checkout`
      : `on ${revealedLine(worktree.branch)}, for ${revealedLine(worktree.base_branch) || "no branch"}`;
  const open = left.uncommitted === 0 ? "" : `, ${plural(left.uncommitted, "file")} not committed`;
  const checks = Object.entries(results).flatMap(([key, value]) => wrap(`${oneLine(key)}: ${oneLine(value)}`, width));
  return [
    ...renderSaid(task, work, page),
    ...checks,
    ...(files.length === 0 ? [] : renderFiles(files, noColours).trimEnd().split("\n")).map((row) => fit(row, width)),
    ...wrap(`${diffStat(files)} ${where}${open}`, width).map(paint.dim),
  ];
}

/** What it is about, and what the agent said at the end. */
function renderSaid({ title, reason }: TaskSummary, { said, run }: TaskWork, { width, paint }: Page): string[] {
  const trouble = [reason, run?.error_summary ?? ""].find((text) => text !== "");
  return [
    ...wrap(oneLine(title), width).map(paint.bold),
    ...(trouble === undefined ? [] : wrap(oneLine(trouble), width).map(paint.red)),
    ...(said === "" ? [] : ["", ...wrap(printable(said).replaceAll("\t", "  "), width), ""]),
  ];
}

function renderFoot(review: Review, task: TaskSummary, doing: Doing, page: Page): Pick<Sheet, "foot" | "cursor"> {
  const { width, paint } = page;
  const typed = (words: string, draft: Parameters<typeof renderDraft>[0]) => {
    const { line, column } = renderDraft(draft, page);
    return { foot: [...wrap(words, width).map(paint.bold), line], cursor: column };
  };
  switch (doing.stage) {
    case "look":
      return { foot: [paint.bold(fit(keysOf(review), width))] };
    case "message":
      return typed("merge; commit message? (Esc: back)", doing.draft);
    case "comment":
      return typed("send back; what is missing? (Esc: back)", doing.draft);
    case "drop":
      return {
        foot: [...wrap(renderLoss(task, review.work), width).map(paint.red), paint.bold("[y]es, drop it  [n]o")],
      };
    case "busy":
      return { foot: [paint.dim(fit(doing.words, width))] };
    case "over":
      return typed(`${doing.because}; your text goes nowhere (Enter)`, doing.draft);
  }
}

/** What a yes would cost. */
function renderLoss(task: TaskSummary, work: TaskWork | undefined): string {
  const head = `give ${taskName(task)} up for good?`;
  if (work?.worktree === undefined) return `${head} what it changed stays in your checkout`;
  return `${head} ${revealedLine(work.worktree.branch)} and its worktree are deleted${lossWords(work.left)}`;
}

function lossWords({ uncommitted, unmerged }: WorkLeft): string {
  const parts = [
    ...(uncommitted === 0 ? [] : [plural(uncommitted, "uncommitted file")]),
    ...(unmerged === 0 ? [] : [plural(unmerged, "unmerged commit")]),
  ];
  return parts.length === 0 ? "" : `, with ${parts.join(" and ")}`;
}

const keysOf = ({ work }: Review): string => {
  if (work === undefined) return "[n]ext [p]revious [q]uit";
  const yes = work.worktree === undefined ? "[m] done" : "[m]erge";
  return `${yes} [s]end back [x]drop [d]iff [?]`;
};

function emptySheet({ width, paint }: Page): Sheet {
  const body = wrap("no task is in review; what comes is shown here", width);
  return { id: "", asks: "", head: [], body, foot: [paint.dim(fit("[q] leave", width))] };
}

const KEYS = [
  ["m", "merge its worktree into the branch it began at; the task is done"],
  ["s", "send it back: say what is missing, and the agent goes on"],
  ["x", "drop it: the task is given up, its worktree and branch deleted"],
  ["d", "its diff, and back"],
  ["n p, arrows left and right", "the next, the one before"],
  ["arrows up and down, PgUp PgDn Home End", "scroll"],
  ["q Ctrl-C Ctrl-D", "leave"],
] as const;
