import type { GivenTo, TaskReport } from "../../contract/agent-socket.ts";
import { AppError } from "../../contract/errors.ts";
import { shorten } from "../../contract/ids.ts";
import { readProgress } from "../store/bus/lifecycle.ts";
import type { Home } from "../store/home.ts";
import { descendants } from "../store/runs/lineage.ts";
import { readTaskFile, type TaskRef, taskName } from "../store/task-file.ts";
import type { AgentCalls } from "./tools/perform.ts";

export interface TaskWiring {
  createTask(wish: GivenTo<"task_create">): Promise<TaskRef>;
}

/** Tasks that a run makes, and those it may look at: its own, these, and the ones its children work on. */
export function taskCalls(
  home: Home,
  own: TaskRef & { run: string },
  limit: number,
  wiring: TaskWiring,
): Pick<AgentCalls, "task_create" | "task_status"> {
  const created = new Set<string>();
  let begun = 0;

  const find = (name: string): TaskRef => {
    const [project = "", task = ""] = name.includes("/") ? name.split("/") : [own.project, name];
    const ref = { project, task };
    const isOwn = (other: TaskRef) => taskName(other) === taskName(ref);
    if (isOwn(own) || created.has(taskName(ref)) || descendants(home, own.run).some(isOwn)) return ref;
    throw new AppError("task.not_found", `task ${shorten(name)}: neither yours nor one that you made or started`);
  };

  return {
    async task_create(wish) {
      if (begun >= limit) {
        throw new AppError("limit.exceeded", `create task: this run has made ${begun} tasks, the most there may be`);
      }
      begun += 1;
      try {
        const ref = await wiring.createTask(wish);
        created.add(taskName(ref));
        return { task: taskName(ref) };
      } catch (error) {
        begun -= 1;
        throw error;
      }
    },
    task_status: async ({ task }) => reportOn(home, task === undefined ? own : find(task)),
  };
}

async function reportOn(home: Home, { project, task }: TaskRef): Promise<TaskReport> {
  const ref = { project, task };
  const file = await readTaskFile(home, ref);
  const { state, since, reason, runs, live, title } = readProgress(home, project, task);
  return { task: taskName(ref), title: file?.title ?? title, state, since, reason, runs, live };
}
