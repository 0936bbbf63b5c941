import { describe, expect, test } from "vitest";
import { runPaths } from "../../store/runs/run-directory.ts";
import { runEnvironment } from "./run-environment.ts";

const runId = "20260205-1504051230-0012345-0001";
const input = {
  home: "/home",
  runId,
  project: "p",
  task: "t",
  parentRunId: "",
  taskFolder: "/home/projects/p/t",
  bus: "/home/projects/p/t/TASK-MESSAGE-BUS.md",
  paths: runPaths(`/home/projects/p/t/runs/${runId}`),
  bin: "/opt/cox/bin",
  callerPath: "/bin",
  socket: "/home/hosts/x.agent.sock",
};
const conductor = { url: "http://127.0.0.1:4700", secret: "abc", hash: "ba78" };

describe("what an agent is told of its run", () => {
  test("has the names that scripts for earlier conductors read", () => {
    expect(runEnvironment({ ...input, conductor })).toEqual({
      JRUN_PROJECT_ID: "p",
      JRUN_TASK_ID: "t",
      JRUN_ID: runId,
      JRUN_PARENT_ID: "",
      JRUN_RUNS_DIR: "/home/projects/p/t/runs",
      JRUN_MESSAGE_BUS: "/home/projects/p/t/TASK-MESSAGE-BUS.md",
      JRUN_TASK_FOLDER: "/home/projects/p/t",
      JRUN_RUN_FOLDER: input.paths.dir,
      JRUN_CONDUCTOR_URL: conductor.url,
      JRUN_CONDUCTOR_TOKEN: `${runId}.abc`,
      TASK_FOLDER: "/home/projects/p/t",
      RUN_FOLDER: input.paths.dir,
      COX_HOME: "/home",
      COX_RUN_ID: runId,
      COX_SOCKET: input.socket,
      PATH: "/opt/cox/bin:/bin",
    });
  });

  test("names no server where none lives", () => {
    expect(Object.keys(runEnvironment(input)).filter((name) => name.includes("CONDUCTOR"))).toEqual([]);
  });

  test("names neither our folders nor a server to one that is fenced in", () => {
    const told = runEnvironment({ ...input, conductor, insideFolder: "/run/coxswain/run" });
    expect(Object.keys(told).toSorted()).toEqual([
      ...["COX_RUN_ID", "COX_SOCKET", "JRUN_ID", "JRUN_PARENT_ID", "JRUN_PROJECT_ID", "JRUN_RUN_FOLDER"],
      ...["JRUN_TASK_ID", "PATH", "RUN_FOLDER"],
    ]);
  });
});
