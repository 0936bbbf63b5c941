import { prependPath } from "../process/environment.ts";
import { taskFolder } from "../store/home.ts";
import type { RunPaths } from "../store/run-directory.ts";
import type { RunSpec } from "./run.ts";

export interface RunEnvironmentInput {
  home: string;
  runId: string;
  project: string;
  task: string;
  parentRunId: string;
  taskFolder: string;
  paths: RunPaths;
  /** The folder of the `cox` program, so that an agent finds it. */
  bin: string;
  callerPath: string | undefined;
  serverUrl?: string;
  /** Where the agent reaches its run. */
  socket?: string;
}

export function environmentOf(
  { home, project, task, parentRunId = "", bin, callerEnv }: RunSpec,
  { runId, paths }: { runId: string; paths: RunPaths },
  socket: string | undefined,
): Record<string, string> {
  const folder = taskFolder(home, project, task);
  const place = { home: home.root, runId, project, task, parentRunId, taskFolder: folder, paths };
  return runEnvironment({ ...place, bin, callerPath: callerEnv.PATH, socket });
}

/** The variables every agent gets: names of seed 002, seed 001's two folders, and our own. */
export function runEnvironment(input: RunEnvironmentInput): Record<string, string> {
  const env: Record<string, string> = {
    JRUN_PROJECT_ID: input.project,
    JRUN_TASK_ID: input.task,
    JRUN_ID: input.runId,
    JRUN_PARENT_ID: input.parentRunId,
    JRUN_RUNS_DIR: `${input.taskFolder}/runs`,
    JRUN_MESSAGE_BUS: `${input.taskFolder}/bus.jsonl`,
    JRUN_TASK_FOLDER: input.taskFolder,
    JRUN_RUN_FOLDER: input.paths.dir,
    TASK_FOLDER: input.taskFolder,
    RUN_FOLDER: input.paths.dir,
    COX_HOME: input.home,
    COX_RUN_ID: input.runId,
    PATH: prependPath(input.callerPath, input.bin),
  };
  if (input.socket !== undefined) env.COX_SOCKET = input.socket;
  if (input.serverUrl !== undefined) env.JRUN_CONDUCTOR_URL = input.serverUrl;
  return env;
}
