import { prependPath } from "../process/environment.ts";
import type { RunPaths } from "../store/run-directory.ts";

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
  if (input.serverUrl !== undefined) env.JRUN_CONDUCTOR_URL = input.serverUrl;
  return env;
}
