import type { TaskItem } from "../../../src/contract/api/values.ts";
import { movesFrom, type TaskState } from "../../../src/contract/tasks/task.ts";

/** The board as decisions: which column a task stands in, what may be done with it, what a drop means. */
export const columns = [
  { id: "todo", name: "To do", teaches: "Tasks you wrote down. Drag one to Working, or press s on it." },
  { id: "working", name: "Working", teaches: "Agents at work." },
  { id: "waiting", name: "Waits for you", teaches: "Agents that asked something. Answer in the inbox." },
  { id: "review", name: "Review", teaches: "Work to look at: accept it, or send it back." },
  { id: "done", name: "Done", teaches: "What you accepted." },
] as const;
export type Column = (typeof columns)[number]["id"];

const home: Readonly<Record<TaskState, Column | undefined>> = {
  todo: "todo",
  queued: "todo",
  blocked: "todo",
  in_progress: "working",
  waiting: "waiting",
  review: "review",
  done: "done",
  failed: undefined,
  cancelled: undefined,
};

/** Failed and cancelled tasks stay where they were. */
export function columnOf({ state, from_state }: Pick<TaskItem, "state" | "from_state">): Column {
  return home[state] ?? (from_state === undefined ? undefined : home[from_state]) ?? "working";
}

export type TaskAction = "start" | "resume" | "stop" | "done" | "send-back" | "enqueue" | "cancel";

export function actionsFor(task: Pick<TaskItem, "state" | "live" | "run">): TaskAction[] {
  const { state, live, run } = task;
  const may = (cause: Parameters<typeof movesFrom>[1]) => movesFrom(state, cause).length > 0;
  const actions: TaskAction[] = [];
  if (!live && may("start") && state !== "done") actions.push(run === "" || state === "todo" ? "start" : "resume");
  if (!live && may("enqueue")) actions.push("enqueue");
  if (live || state === "queued" || state === "blocked") actions.push("stop");
  if (may("send_back")) actions.push("send-back");
  if (may("finish") && state !== "queued" && state !== "blocked") actions.push("done");
  if (may("cancel")) actions.push("cancel");
  return actions;
}

/** What a drop on a column means, if anything. */
export function dropAction(
  task: Pick<TaskItem, "state" | "from_state" | "live" | "run">,
  column: Column,
): TaskAction | undefined {
  if (columnOf(task) === column) return undefined;
  const wished: Readonly<Record<Column, readonly TaskAction[]>> = {
    todo: ["stop", "send-back"],
    working: ["start", "resume"],
    waiting: [],
    review: [],
    done: ["done"],
  };
  const actions = actionsFor(task);
  // A finished piece of work that goes back to work needs to be told why.
  if (column === "working" && actions.includes("send-back") && task.state !== "failed") return "send-back";
  return wished[column].find((action) => actions.includes(action));
}

/** In the order one would look at them. */
export function inOrder(column: Column, tasks: readonly TaskItem[]): TaskItem[] {
  const latest = (a: TaskItem, b: TaskItem) => b.since.localeCompare(a.since);
  if (column === "todo") {
    const rank = ({ state, position }: TaskItem) =>
      state === "queued" ? (position ?? 1000) : state === "blocked" ? 3000 : 2000;
    return tasks.toSorted((a, b) => rank(a) - rank(b) || b.priority - a.priority || latest(a, b));
  }
  return column === "waiting" || column === "review" ? tasks.toSorted((a, b) => latest(b, a)) : tasks.toSorted(latest);
}

export interface Filter {
  project: string;
  agent: string;
  text: string;
}

export function fits({ project, agent, title, task, branch, last_line }: TaskItem, filter: Filter): boolean {
  if (filter.project !== "" && project !== filter.project) return false;
  if (filter.agent !== "" && agent !== filter.agent) return false;
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${title} ${task} ${branch ?? ""} ${agent} ${project} ${last_line ?? ""}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** How much changed, out of `3 files, +10 −2`; nothing where no file did. */
export function changedLines(stat: string): { added: string; removed: string } | undefined {
  const [, files, added, removed] = /^(\d+) files?, \+(\d+) −(\d+)$/.exec(stat) ?? [];
  return files === undefined || files === "0" || added === undefined || removed === undefined
    ? undefined
    : { added, removed };
}
