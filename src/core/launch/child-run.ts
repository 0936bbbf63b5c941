import { resolve } from "node:path";
import type { GivenTo } from "../../contract/agent-socket.ts";
import { AppError } from "../../contract/errors.ts";
import { requireName } from "../../contract/ids.ts";
import type { DecidedRequest, RunRequest } from "../../contract/runs/request.ts";
import { isWithin } from "../../lib/files/within.ts";
import type { ChildWiring } from "../host/own-children.ts";
import type { TaskWiring } from "../host/own-tasks.ts";
import { requireWorkspace } from "../runner/workspace/workspace.ts";
import { taskExists } from "../store/find-task.ts";
import { taskName } from "../store/task-file.ts";
import { createTask } from "../tasks/create.ts";
import { heal } from "../tasks/heal.ts";
import { startDetached } from "./detach.ts";
import type { PreparedRun } from "./prepare-run.ts";

/** How an agent's wishes for runs and tasks are carried out. */
export function childWiring(spec: PreparedRun, runId: string): ChildWiring & TaskWiring {
  const { home, where, repository, clock, callerEnv } = spec;
  const { project } = where;
  const by = `run ${runId}`;
  return {
    heal: () => heal(home, clock),
    async startChild(wish) {
      const request = childRequest(spec, runId, wish);
      const ref = wish.task === undefined ? undefined : { project, task: wish.task };
      if (ref !== undefined && ref.task !== where.task && taskExists(home, ref)) {
        throw new AppError("task.exists", `task ${taskName(ref)}: exists and is not yours; choose another name`);
      }
      const started = await startDetached(request, callerEnv);
      return { run_id: started.runId, task: started.task };
    },
    createTask: ({ title, prompt, task, agent, depends_on, review, priority }) =>
      createTask(
        home,
        {
          version: 1,
          project,
          task,
          title,
          prompt,
          agent,
          workspace: repository,
          on: where.on,
          network: where.network,
          depends_on,
          priority,
          policy: { review, on_failed_dependency: "fail" },
          limits: {},
          created: "",
          by,
        },
        clock.now(),
      ),
  };
}

/**
 * A child works on the terms of the run that started it: whatever fences that one in holds for it too. Keys and variables
 * were given for one agent; another one doesn't get them.
 */
export function childRequest(
  { who, what, where, limits }: DecidedRequest,
  parentRunId: string,
  wish: GivenTo<"spawn_run">,
): RunRequest {
  const agent = wish.agent === undefined ? who.agent : requireName("agent", wish.agent.toLowerCase());
  const same = agent === who.agent;
  const times = [limits.timeoutMs, wish.timeout_s === undefined ? undefined : wish.timeout_s * 1000];
  const timeouts = times.filter((ms) => ms !== undefined);
  return {
    who: same ? { ...who, model: wish.model ?? who.model } : { agent, model: wish.model },
    what: {
      prompt: [{ type: "text", text: wish.prompt }],
      mode: "batch",
      mcpServers: what.mcpServers,
      tools: what.tools,
      preamble: what.preamble,
    },
    where: {
      ...where,
      env: same ? where.env : {},
      task: wish.task === undefined ? undefined : requireName("task", wish.task),
      workspace: wish.cwd === undefined ? where.workspace : folderWithin(where.workspace, wish.cwd, where.on),
      worktree: undefined,
    },
    limits: {
      ...limits,
      timeoutMs: timeouts.length === 0 ? undefined : Math.min(...timeouts),
      ...(wish.timeout_s !== undefined && Math.min(...timeouts) !== limits.timeoutMs
        ? { timeoutFrom: "the time that its parent gave it" }
        : {}),
    },
    lineage: { parent: parentRunId, by: `run ${parentRunId}` },
  };
}

/**
 * Looked at before the disk is: what lies outside, even whether it is there, is not told. Not for a run that is fenced in: its
 * agent could put a link in the folder's place after we looked, and the child would be given what the link leads to.
 */
function folderWithin(workspace: string, folder: string, on: RunRequest["where"]["on"] = "local"): string {
  if (on !== "local") {
    throw new AppError("workspace.invalid", `cwd ${folder}: in a ${on} the runs you start work in your workspace`);
  }
  const outside = new AppError("workspace.invalid", `cwd ${folder}: is not inside the workspace of this run`);
  if (!isWithin(resolve(workspace, folder), workspace)) throw outside;
  const real = requireWorkspace(folder, workspace);
  if (!isWithin(real, workspace)) throw outside;
  return real;
}
