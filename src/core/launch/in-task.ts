import type { DecidedRequest } from "../../contract/runs/request.ts";
import { claimTask, dropEmptyTask } from "../store/find-task.ts";
import { openHome } from "../store/home.ts";

/** What is done for a task: a new one gets a name of its own first, which is free again when nothing came of it. */
export async function inTask<T>(
  request: DecidedRequest,
  home: string,
  work: (request: DecidedRequest) => Promise<T>,
): Promise<T> {
  const { newTask, ...where } = request.where;
  if (!newTask) return work(request);
  const opened = openHome(home);
  const task = claimTask(opened, where.project, where.task);
  try {
    return await work({ ...request, where: { ...where, task } });
  } catch (error) {
    dropEmptyTask(opened, { project: where.project, task });
    throw error;
  }
}
