import { statSync } from "node:fs";
import { join } from "node:path";
import type { TaskItem } from "../../../contract/api/values.ts";
import { AppError } from "../../../contract/errors.ts";
import type { TaskSummary } from "../../../contract/tasks/task.ts";
import { busPath } from "../../../core/store/bus/bus.ts";
import { listTasks, taskExists } from "../../../core/store/find-task.ts";
import { type Home, taskFolder } from "../../../core/store/home.ts";
import { type TaskRef, taskName } from "../../../core/store/task-file.ts";
import { dependencyRef } from "../../../core/tasks/dependencies.ts";
import { queueLine } from "../../../core/tasks/queue/queue-line.ts";
import { summarize } from "../../../core/tasks/task.ts";
import type { Log } from "../../../lib/base/log.ts";
import { type ListContext, taskItem } from "./task-items.ts";

/** Where all tasks stand. A bus that has not grown is not read again. */
export class TaskIndex {
  readonly #home: Home;
  readonly #log: Log;
  readonly #known = new Map<string, { mark: string; summary: TaskSummary | undefined }>();

  constructor(home: Home, log: Log) {
    this.#home = home;
    this.#log = log;
  }

  /** The latest change first. */
  async all(project?: string): Promise<TaskSummary[]> {
    const refs = listTasks(this.#home, project);
    const found = await this.#lookAt(refs);
    if (project === undefined) this.#forget(new Set(refs.map(taskName)));
    return found.sort((a, b) => (a.since < b.since ? 1 : a.since > b.since ? -1 : taskName(a) < taskName(b) ? -1 : 1));
  }

  async item(ref: TaskRef): Promise<TaskItem> {
    const summary = (await this.#look(ref)) ?? (await summarize(this.#home, ref)); // which says what is wrong with it
    const needed = summary.depends_on.map((name) => dependencyRef(name, ref.project));
    const there = needed.filter((each) => taskExists(this.#home, each));
    return taskItem(this.#home, summary, this.#context(await this.#lookAt(there)));
  }

  /** Of all tasks that are known, those of one page, with everything that is shown of them. */
  items(all: readonly TaskSummary[], page: readonly TaskSummary[]): TaskItem[] {
    const context = this.#context(all);
    return page.map((summary) => taskItem(this.#home, summary, context));
  }

  #context(all: readonly TaskSummary[]): ListContext {
    const states = new Map(all.map((summary) => [taskName(summary), summary.state]));
    const positions = new Map(queueLine(this.#home).map((entry) => [taskName(entry), entry.position]));
    return { positions, stateOf: (name) => states.get(name) };
  }

  async #lookAt(refs: readonly TaskRef[]): Promise<TaskSummary[]> {
    const found = await Promise.all(refs.map((ref) => this.#look(ref)));
    return found.filter((summary) => summary !== undefined);
  }

  /** One whose file a person wrote wrongly hides no other: it is `undefined`, and in the log once. */
  async #look(ref: TaskRef): Promise<TaskSummary | undefined> {
    const name = taskName(ref);
    const mark = this.#mark(ref);
    const known = this.#known.get(name);
    if (known?.mark === mark) return known.summary;
    const summary = await summarize(this.#home, ref).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === "task.invalid")) throw error;
      this.#log.warn("a task is left out", { task: name, why: error.message });
      return undefined;
    });
    this.#known.set(name, { mark, summary });
    return summary;
  }

  /** Changes whenever a task does: its bus only grows, its file is written once. */
  #mark({ project, task }: TaskRef): string {
    const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? -1;
    const folder = taskFolder(this.#home, project, task);
    return `${sizeOf(busPath(this.#home, project, task))} ${sizeOf(join(folder, "task.yaml"))}`;
  }

  #forget(there: ReadonlySet<string>): void {
    for (const name of this.#known.keys()) if (!there.has(name)) this.#known.delete(name);
  }
}
