import type { Task } from "../../contract/resources/task.ts";
import { keyOf } from "../kube/resource.ts";

/** Prompts are the bulk of it. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * New Tasks as the watch brought them, prompt and all, until their Job is made: most are started at once, and need not be
 * asked for a second time. Limited, because it holds what the cache must not; what doesn't fit is read when it is needed.
 */
export class FreshTasks {
  readonly #tasks = new Map<string, Task>();
  #characters = 0;

  /** Only one that nobody has looked at yet is kept. */
  note(task: Task): void {
    this.take(keyOf(task), undefined);
    const { length } = task.spec.prompt;
    if (task.status !== undefined || this.#characters + length > MAX_CHARACTERS) return;
    this.#tasks.set(keyOf(task), task);
    this.#characters += length;
  }

  /** Gives it away, if it is this version of it. */
  take(key: string, version: string | undefined): Task | undefined {
    const task = this.#tasks.get(key);
    if (task === undefined) return undefined;
    this.#tasks.delete(key);
    this.#characters -= task.spec.prompt.length;
    return task.metadata.resourceVersion === version ? task : undefined;
  }
}
