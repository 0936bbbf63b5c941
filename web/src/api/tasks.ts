import type { TaskItem } from "../../../src/contract/api/values.ts";
import { AppError } from "../../../src/contract/errors.ts";
import { createStore } from "../base/store.ts";
import { problemText, server } from "./client.ts";
import { type News, onConnect, onNews } from "./live.ts";
import { changed } from "./query.ts";

/** All tasks by `project/task`. News name the task they touch, and only that one is asked for again. */
export interface Tasks {
  items: ReadonlyMap<string, TaskItem>;
  state: "loading" | "ready" | "failed";
  problem: string;
}

export const tasks = createStore<Tasks>({ items: new Map(), state: "loading", problem: "" });
const taskOfRun = new Map<string, string>();
const touched = new Map<string, ReturnType<typeof setTimeout>>();

/** Events come in bursts; a card is drawn once for each. */
const SETTLE_MS = 300;

export const taskKey = ({ project, task }: { project: string; task: string }): string => `${project}/${task}`;

export async function loadTasks(): Promise<void> {
  try {
    const items = new Map<string, TaskItem>();
    let cursor: string | undefined;
    do {
      const page = await server.call("GET /tasks", { query: { limit: 500, cursor } });
      for (const item of page.items) items.set(taskKey(item), item);
      cursor = page.next;
    } while (cursor !== undefined);
    remember(items.values());
    tasks.set({ items, state: "ready", problem: "" });
  } catch (error) {
    tasks.set({ ...tasks.get(), state: "failed", problem: problemText(error) });
  }
}

export function followTasks(): void {
  void loadTasks();
  onConnect(() => void loadTasks());
  onNews((news) => {
    for (const each of news) {
      const key = touchedBy(each);
      if (key !== undefined) touch(key);
    }
  });
}

/** Which task this is about. */
function touchedBy(news: News): string | undefined {
  switch (news.about) {
    case "bus":
      return news.message.task === "" ? undefined : taskKey(news.message);
    case "run":
      return taskOfRun.get(news.run);
    case "ledger":
      if (news.record.type !== "start") return taskOfRun.get(news.record.run_id);
      taskOfRun.set(news.record.run_id, taskKey(news.record));
      return taskKey(news.record);
  }
}

function touch(key: string): void {
  if (touched.has(key)) return;
  touched.set(
    key,
    setTimeout(() => {
      touched.delete(key);
      void refreshTask(key);
    }, SETTLE_MS),
  );
}

export async function refreshTask(key: string): Promise<void> {
  const [project = "", task = ""] = key.split("/");
  try {
    const detail = await server.call("GET /tasks/{project}/{task}", { params: { project, task } });
    remember([detail.task]);
    for (const run of detail.runs) taskOfRun.set(run.run_id, key);
    change((items) => items.set(key, detail.task));
  } catch (error) {
    // A server that is away has deleted nothing: what is known stays, and is asked for again when it is back.
    if (error instanceof AppError && error.code === "task.not_found") change((items) => items.delete(key));
  }
  changed(
    `GET /tasks/{project}/{task} {"params":{"project":${JSON.stringify(project)},"task":${JSON.stringify(task)}`,
    "GET /queue",
  );
}

/** On what is there now: others may have changed while the server was asked. */
function change(how: (items: Map<string, TaskItem>) => void): void {
  const items = new Map(tasks.get().items);
  how(items);
  tasks.set({ ...tasks.get(), items });
}

function remember(items: Iterable<TaskItem>): void {
  for (const item of items) if (item.run !== "") taskOfRun.set(item.run, taskKey(item));
}
