import { existsSync } from "node:fs";
import type { busRoutes } from "../../../contract/api/tasks.ts";
import { AppError } from "../../../contract/errors.ts";
import { busPath, postMessage } from "../../../core/store/bus/bus.ts";
import { readMessages } from "../../../core/store/bus/bus-reader.ts";
import { projectFolder } from "../../../core/store/home.ts";
import type { Handlers } from "../api/handlers.ts";
import type { ServerPorts } from "../ports.ts";
import { requireTask } from "./tasks.ts";

/** A bus is a file that anybody may write to: here people do. */
export function busHandlers({ home, clock }: ServerPorts): Handlers<keyof typeof busRoutes> {
  const requireProject = (project: string) => {
    if (existsSync(projectFolder(home, project))) return;
    throw new AppError("project.unknown", `project ${project}: there is no such project`);
  };
  return {
    "GET /bus/{project}": ({ params: { project }, query }) => {
      requireProject(project);
      return readMessages(busPath(home, project), query);
    },
    "POST /bus/{project}": async ({ params: { project }, body }) => {
      requireProject(project);
      return { id: await postMessage(busPath(home, project), { ...body, project }, { now: clock.now() }) };
    },
    "GET /bus/{project}/{task}": ({ params, query }) => {
      requireTask(home, params);
      return readMessages(busPath(home, params.project, params.task), query);
    },
    "POST /bus/{project}/{task}": async ({ params, body }) => {
      requireTask(home, params);
      refuseLifecycle(body.type);
      const draft = { ...body, ...params };
      return { id: await postMessage(busPath(home, params.project, params.task), draft, { now: clock.now() }) };
    },
  };
}

/** Those move the task: there are operations for that, which check whether it may. */
function refuseLifecycle(type: string): void {
  if (type !== "TASK_STATE" && !type.startsWith("RUN_")) return;
  throw new AppError("usage.invalid", `post: type ${type}: is written by Coxswain itself`);
}
