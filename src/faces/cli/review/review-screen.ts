import { messageOf } from "../../../contract/errors.ts";
import type { TaskSummary } from "../../../contract/tasks/task.ts";
import { plural } from "../../../contract/words/figures.ts";
import type { Config } from "../../../core/config/config-keys.ts";
import { startFrom } from "../../../core/launch/detach.ts";
import { homeNews } from "../../../core/runs/home-news.ts";
import { TasksInReview } from "../../../core/runs/in-review.ts";
import { attribution } from "../../../core/runs/run-access.ts";
import { conflictsOf, dropWork, mergeWork, readWork } from "../../../core/runs/task-work.ts";
import { readProgress } from "../../../core/store/bus/lifecycle.ts";
import type { Home } from "../../../core/store/home.ts";
import { nameOfRun } from "../../../core/store/runs/find-run.ts";
import { taskName } from "../../../core/store/task-file.ts";
import { finishTask } from "../../../core/tasks/change.ts";
import { launcher } from "../../../core/tasks/launch.ts";
import { sendBackTask } from "../../../core/tasks/start.ts";
import { wrap } from "../../../lib/command/columns.ts";
import type { Context } from "../../../lib/command/command.ts";
import type { Page } from "../../../lib/command/paint.ts";
import { oneLine } from "../../../lib/text/printable.ts";
import type { Key } from "../view/live/keys.ts";
import { type App, FullScreen, type KeyTime } from "../view/terminal/full-screen.ts";
import type { Sheet } from "../view/terminal/sheet.ts";
import { renderBody, reviewSheet } from "./review-sheet.ts";
import {
  decisionIn,
  emptyReview,
  finished,
  follow,
  learn,
  pressKey,
  type Review,
  type ReviewAction,
} from "./review-state.ts";

/** Tasks in review, one after the other, until the person leaves. `only`: that one. */
export async function showReview(home: Home, context: Context, config: Config, only?: string): Promise<number> {
  const inReview = new TasksInReview(home);
  const look = async () => (await inReview.all()).filter((task) => only === undefined || taskName(task) === only);
  const app = new ReviewApp(home, context, config, await look());
  try {
    for await (const _ of homeNews(home, context.clock, app.screen.left)) await app.look(look);
    // What was begun is not left half done.
    await app.working;
  } finally {
    app.screen.close();
  }
  return app.screen.code;
}

type Deed = Exclude<ReviewAction, { do: "leave" }>;

class ReviewApp implements App {
  readonly screen: FullScreen;
  readonly #home: Home;
  readonly #context: Context;
  readonly #config: Config;
  #review: Review;
  /** What is being read, and after how much was tried. */
  #reading: { task: TaskSummary; tries: number } | undefined;
  #rendered: { key: readonly unknown[]; lines: string[] } | undefined;
  /** What is being done, until it is. Never rejects. */
  working: Promise<void> = Promise.resolve();

  constructor(home: Home, context: Context, config: Config, tasks: readonly TaskSummary[]) {
    this.#home = home;
    this.#context = context;
    this.#config = config;
    this.#review = follow(emptyReview, tasks, () => "");
    this.screen = new FullScreen(context, this, config.color);
    this.#readOn();
  }

  async look(list: () => Promise<TaskSummary[]>): Promise<void> {
    const { tries } = this.#review;
    const tasks = await list();
    // What was done meanwhile is not in that list yet.
    if (tries === this.#review.tries) this.#follow(tasks);
  }

  #follow(tasks: readonly TaskSummary[]): void {
    const { focus, doing } = this.#review;
    const isGone = focus !== undefined && !tasks.some((task) => taskName(task) === taskName(focus));
    if (isGone && doing.stage !== "busy" && doing.stage !== "over") {
      this.#say("yellow", `⊘ ${taskName(focus)}: ${this.#because(focus)}`);
    }
    this.#review = follow(this.#review, tasks, (task) => this.#because(task));
    this.#readOn();
    this.screen.refresh();
  }

  show(page: Page): Sheet {
    const bodyOf: typeof renderBody = (task, work, diff) => {
      const key = [work, diff, page.width];
      if (this.#rendered?.key.every((part, index) => part === key[index])) return this.#rendered.lines;
      this.#rendered = { key, lines: renderBody(task, work, diff, page) };
      return this.#rendered.lines;
    };
    return reviewSheet(this.#review, this.#context.clock.now(), bodyOf, page);
  }

  press(key: Key, time: KeyTime): "leave" | "nothing" | undefined {
    const before = this.#review;
    const { review, action } = pressKey(before, key, time);
    this.#review = review;
    this.#readOn();
    if (action === undefined) return review === before ? "nothing" : undefined;
    if (action.do === "leave") return "leave";
    this.working = this.#perform(action);
    return undefined;
  }

  decision(key: Key, time: KeyTime): string | undefined {
    return decisionIn(this.#review, key, time);
  }

  /** All that is known of what is looked at now, once. */
  #readOn(): void {
    const { focus, work, tries } = this.#review;
    if (focus === undefined || work !== undefined) return;
    if (this.#reading?.task === focus && this.#reading.tries === tries) return;
    this.#reading = { task: focus, tries };
    readWork(this.#home, focus).then(
      (found) => {
        this.#review = learn(this.#review, focus, found);
        this.screen.refresh();
      },
      (error: unknown) => {
        this.#say("red", `✗ ${taskName(focus)}: ${oneLine(messageOf(error))}`);
        this.screen.refresh();
      },
    );
  }

  async #perform(deed: Deed): Promise<void> {
    try {
      this.#say("green", `✓ ${taskName(deed.task)}: ${await this.#do(deed)}`);
      this.#review = finished(this.#review);
    } catch (error) {
      this.#review = finished(this.#review, `✗ ${oneLine(troubleOf(deed, error))}`);
    }
    this.#readOn();
    this.screen.refresh();
  }

  async #do(deed: Deed): Promise<string> {
    const { task } = deed;
    const doing = { by: attribution(), clock: this.#context.clock };
    switch (deed.do) {
      case "merge": {
        const merged = await mergeWork(this.#home, task, { how: "rebase", commitMessage: deed.message });
        await finishTask(this.#home, task, doing);
        const left = merged.leftOut.length === 0 ? "" : `; left out: ${merged.leftOut.map(oneLine).join(", ")}`;
        return `${oneLine(merged.branch)} is now in ${oneLine(merged.into)}: ${plural(merged.commits, "commit")}, ${merged.diffStat}${left}`;
      }
      case "finish":
        await finishTask(this.#home, task, doing);
        return "done";
      case "send-back": {
        const launch = launcher(startFrom(this.#context.env));
        return `sent back; ${nameOfRun(this.#home, await sendBackTask(this.#home, task, deed.text, doing, launch))} goes on`;
      }
      case "drop": {
        const removed = await dropWork(this.#home, task, { ...doing, teardown: this.#config["worktree.teardown"] });
        const notices = removed?.notices.map((notice) => `; ${oneLine(notice)}`).join("") ?? "";
        return `dropped${removed === undefined ? "" : ` with ${oneLine(removed.record.branch)}`}${notices}`;
      }
    }
  }

  #because(task: TaskSummary): string {
    const { state, by } = readProgress(this.#home, task.project, task.task);
    return `no longer in review: ${state}${by === "" ? "" : ` by ${oneLine(by)}`}`;
  }

  /** On as many lines as it needs: what to do about it stands at the end. */
  #say(colour: "red" | "green" | "yellow", text: string): void {
    this.screen.say(({ width, paint }) => wrap(text, width).map(paint[colour]));
  }
}

function troubleOf({ task }: Deed, error: unknown): string {
  const conflicts = conflictsOf(error);
  if (conflicts === undefined) return messageOf(error);
  const name = taskName(task);
  return `conflicts in ${conflicts.map(oneLine).join(", ")}; your branch is as it was; \`cox merge ${name} --resolve\` lets the agent resolve them`;
}
