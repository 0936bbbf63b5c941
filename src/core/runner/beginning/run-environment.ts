import { runToken } from "../../../contract/runs/run-token.ts";
import { prependPath } from "../../../lib/process/path/environment.ts";
import { busPath } from "../../store/bus/bus.ts";
import { taskFolder } from "../../store/home.ts";
import type { RunPaths } from "../../store/runs/run-directory.ts";
import type { Conductor, RunSpec } from "../run-spec.ts";

export interface RunEnvironmentInput {
  home: string;
  runId: string;
  project: string;
  task: string;
  parentRunId: string;
  taskFolder: string;
  bus: string;
  paths: RunPaths;
  /** The folder of the `cox` program, so that an agent finds it. */
  bin: string;
  callerPath: string | undefined;
  conductor?: Conductor;
  /** Where the agent reaches its run. */
  socket?: string;
  /** The folder it has instead of all of ours. */
  insideFolder?: string;
}

type Placed = Pick<RunSpec, "home" | "bin" | "callerEnv" | "executor" | "conductor"> & {
  where: Pick<RunSpec["where"], "project" | "task">;
  lineage: Pick<RunSpec["lineage"], "parent">;
};

export function environmentOf(
  { home, where: { project, task }, lineage: { parent = "" }, bin, callerEnv, executor, conductor }: Placed,
  { runId, paths }: { runId: string; paths: RunPaths },
  socket: string | undefined,
): Record<string, string> {
  const place = { home: home.root, runId, project, task, parentRunId: parent, paths };
  return runEnvironment({
    ...place,
    taskFolder: taskFolder(home, project, task),
    bus: busPath(home, project, task),
    bin,
    callerPath: callerEnv.PATH,
    socket,
    insideFolder: executor?.inside?.runFolder,
    conductor,
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
  if (input.conductor === undefined || input.insideFolder !== undefined) return env;
  const { url, secret } = input.conductor;
  return { ...env, JRUN_CONDUCTOR_URL: url, JRUN_CONDUCTOR_TOKEN: runToken(input.runId, secret) };
}

/** An isolated agent isn't even told where they are. */
const ourFolders = ({ home, taskFolder, bus }: RunEnvironmentInput) => ({
  JRUN_RUNS_DIR: `${taskFolder}/runs`,
  JRUN_MESSAGE_BUS: bus,
  JRUN_TASK_FOLDER: taskFolder,
  TASK_FOLDER: taskFolder,
  COX_HOME: home,
});
