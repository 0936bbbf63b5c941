import { statSync } from "node:fs";
import { AppError } from "../../contract/errors.ts";
import type { TaskSummary } from "../../contract/tasks/task.ts";
import { busPath } from "../store/bus/bus.ts";
import { listTasks } from "../store/find-task.ts";
import type { Home } from "../store/home.ts";
import { taskName } from "../store/task-file.ts";
import { summarize } from "../tasks/task.ts";

/** The tasks a person should look at. For whoever looks again and again: a bus that has not grown is not read again. */
export class TasksInReview {
  readonly #home: Home;
  #known = new Map<string, { size: number; task: TaskSummary | undefined }>();

  constructor(home: Home) {
    this.#home = home;
  }

  /** The longest waiting first. */
  async all(): Promise<TaskSummary[]> {
    const known = new Map<string, { size: number; task: TaskSummary | undefined }>();
    for (const ref of listTasks(this.#home)) {
      const name = taskName(ref);
      const size = statSync(busPath(this.#home, ref.project, ref.task), { throwIfNoEntry: false })?.size ?? 0;
      const before = this.#known.get(name);
      if (before?.size === size) known.set(name, before);
      else known.set(name, { size, task: await this.#look(ref) });
    }
    this.#known = known;
    const tasks = [...known.values()].flatMap(({ task }) => (task?.state === "review" ? [task] : []));
    return tasks.sort((a, b) => a.since.localeCompare(b.since));
  }

  /** One that a person wrote wrongly hides no other; `cox task ls` says what is wrong with it. */
  async #look(ref: { project: string; task: string }): Promise<TaskSummary | undefined> {
    try {
      return await summarize(this.#home, ref);
    } catch (error) {
      if (error instanceof AppError && error.code === "task.invalid") return undefined;
      throw error;
    }
  }
}
