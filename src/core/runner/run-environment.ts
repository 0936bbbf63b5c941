import { prependPath } from "../../lib/process/path/environment.ts";
import { taskFolder } from "../store/home.ts";
import type { RunPaths } from "../store/runs/run-directory.ts";
import type { RunSpec } from "./run-spec.ts";

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
  /** The folder it has instead of all of ours. */
  insideFolder?: string;
}

type Placed = Pick<RunSpec, "home" | "bin" | "callerEnv" | "executor"> & {
  where: Pick<RunSpec["where"], "project" | "task">;
  lineage: Pick<RunSpec["lineage"], "parent">;
};

export function environmentOf(
  { home, where: { project, task }, lineage: { parent = "" }, bin, callerEnv, executor }: Placed,
  { runId, paths }: { runId: string; paths: RunPaths },
  socket: string | undefined,
): Record<string, string> {
  const folder = taskFolder(home, project, task);
  const place = { home: home.root, runId, project, task, parentRunId: parent, taskFolder: folder, paths };
  return runEnvironment({
    ...place,
    bin,
    callerPath: callerEnv.PATH,
    socket,
    insideFolder: executor?.inside?.runFolder,
  });
}

/**
 * The variables every agent gets. JRUN_… and the two folders without a prefix are what scripts and prompts made for earlier
 * conductors of agents read; COX_… are our own.
 */
export function runEnvironment(input: RunEnvironmentInput): Record<string, string> {
  const folder = input.insideFolder ?? input.paths.dir;
  const env: Record<string, string> = {
    JRUN_PROJECT_ID: input.project,
    JRUN_TASK_ID: input.task,
    JRUN_ID: input.runId,
    JRUN_PARENT_ID: input.parentRunId,
    JRUN_RUN_FOLDER: folder,
    RUN_FOLDER: folder,
    ...(input.insideFolder === undefined ? ourFolders(input) : {}),
    COX_RUN_ID: input.runId,
    PATH: prependPath(input.callerPath, input.bin),
  };
  if (input.socket !== undefined) env.COX_SOCKET = input.socket;
  if (input.serverUrl !== undefined) env.JRUN_CONDUCTOR_URL = input.serverUrl;
  return env;
}

/** An isolated agent isn't even told where they are. */
const ourFolders = ({ home, taskFolder }: RunEnvironmentInput) => ({
  JRUN_RUNS_DIR: `${taskFolder}/runs`,
  JRUN_MESSAGE_BUS: `${taskFolder}/bus.jsonl`,
  JRUN_TASK_FOLDER: taskFolder,
  TASK_FOLDER: taskFolder,
  COX_HOME: home,
});
