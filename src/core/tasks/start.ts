import { AppError } from "../../contract/errors.ts";
import { requireOwn } from "../../contract/runs/imported.ts";
import type { RunRequest } from "../../contract/runs/request.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { movesFrom, type TaskProgress } from "../../contract/tasks/task.ts";
import { limitsOfFile } from "../../contract/tasks/task-terms.ts";
import { randomUUID } from "../../lib/base/crypto.ts";
import { sendCommand } from "../../lib/client/socket.ts";
import { appendMessage, busPath } from "../store/bus/bus.ts";
import { readProgress } from "../store/bus/lifecycle.ts";
import { runIdsOf } from "../store/find-task.ts";
import { type Home, runFolder, socketPath } from "../store/home.ts";
import { runPaths } from "../store/runs/run-directory.ts";
import { readRunInfo } from "../store/runs/run-info.ts";
import { readTaskFile, type TaskRef, taskName } from "../store/task-file.ts";
import { changeTask, type Doing, refused } from "./change.ts";
import { dependencyStatuses, expandPrompt, readiness } from "./dependencies.ts";
import { heal } from "./heal.ts";
import { liveRuns } from "./task.ts";

/** Starts a run as it is asked for; returns its id once it has a directory. How that is done is the caller's affair. */
export type LaunchRun = (request: RunRequest) => Promise<string>;

/** What somebody wants of this run that the task doesn't say, or says otherwise. */
export type StartWishes = Partial<Pick<RunRequest, "who" | "what" | "where" | "limits">>;

/** A new run on the task's own prompt. */
export async function startTask(
  home: Home,
  ref: TaskRef,
  doing: Doing & { wishes?: StartWishes },
  launch: LaunchRun,
): Promise<string> {
  return launch(await requestForTask(home, ref, doing));
}

/** Whether it can be started now, and with what. What the task says of its runs is read where they are hosted. */
export async function requestForTask(
  home: Home,
  ref: TaskRef,
  doing: Doing & { wishes?: StartWishes },
): Promise<RunRequest> {
  const { progress, file } = await look(home, ref, doing, "start");
  if (file === undefined) {
    const name = taskName(ref);
    throw new AppError(
      "task.invalid",
      `task ${name}: has no prompt of its own; go on with it by \`cox task resume ${name}\``,
    );
  }
  const ready = readiness(dependencyStatuses(home, ref.project, file), file.policy.on_failed_dependency);
  if (ready.do !== "start") {
    throw new AppError(
      "dependency.missing",
      `task ${taskName(ref)}: ${ready.reason}; \`cox queue add\` starts it in time`,
    );
  }
  const text = expandPrompt(home, ref, file);
  const { who = {}, what, where, limits = {} } = doing.wishes ?? {};
  return {
    who,
    what: { mode: "batch", ...what, prompt: [{ type: "text", text }] },
    where: { ...where, ...ref },
    limits,
    lineage: { by: doing.by, previous: progress.run || undefined },
  };
}

/** A new run that goes on with the conversation of the last one. */
export async function resumeTask(
  home: Home,
  ref: TaskRef,
  doing: Doing & { prompt?: string },
  launch: LaunchRun,
): Promise<string> {
  const { progress, file } = await look(home, ref, doing, "resume");
  const last = lastRun(home, ref, progress);
  if (last === undefined || last.session_id === "") {
    if (doing.prompt === undefined) return startTask(home, ref, doing, launch);
    throw new AppError("run.not_resumable", `task ${taskName(ref)}: no run of it has a conversation to go on with`);
  }
  return launch({
    who: last.profile === "" ? { agent: last.agent } : { profile: last.profile },
    what: {
      prompt: [{ type: "text", text: doing.prompt ?? CONTINUE }],
      mode: "batch",
      review: file?.policy.review ?? progress.review,
    },
    where: { ...ref, workspace: last.cwd },
    limits: file === undefined ? {} : limitsOfFile(file),
    lineage: { by: doing.by, previous: last.run_id, resume: { run: last.run_id } },
  });
}

const CONTINUE = "Continue working on the task.";

/** Not good enough, and why: said to the agent, in its live conversation or by going on with the last one. */
export async function sendBackTask(
  home: Home,
  ref: TaskRef,
  text: string,
  doing: Doing,
  launch: LaunchRun,
): Promise<string> {
  await heal(home, doing.clock);
  lastRun(home, ref, readProgress(home, ref.project, ref.task)); // refused before anything is changed
  changeTask(home, ref, "send_back", { ...doing, reason: text });
  const review = { type: "REVIEW", ...ref, body: text };
  appendMessage(busPath(home, ref.project, ref.task), review, doing.clock.now());
  return tellTask(home, ref, text, doing, launch);
}

const TELL_LIMIT_MS = 30_000;

/** To whoever is at it, or by going on with the last conversation: also where a run ends just now, or has just begun. */
export async function tellTask(
  home: Home,
  ref: TaskRef,
  text: string,
  doing: Doing,
  launch: LaunchRun,
): Promise<string> {
  const { by, clock } = doing;
  const content = [{ type: "text" as const, text }];
  const prompt = { type: "prompt", promptId: randomUUID(), content, delivery: "queue", by } as const;
  const deadline = clock.monotonic() + TELL_LIMIT_MS;
  for (;;) {
    const [live] = liveRuns(home, ref);
    if (live === undefined) return resumeTask(home, ref, { ...doing, prompt: text }, launch);
    try {
      await sendCommand(socketPath(home, live), prompt);
      return live;
    } catch (error) {
      if (!isBetween(error) || clock.monotonic() >= deadline) throw error;
    }
    await clock.sleep(50);
    await heal(home, clock);
  }
}

const isBetween = (error: unknown): boolean =>
  error instanceof AppError && (error.code === "host.unreachable" || error.code === "run.not_live");

async function look(home: Home, ref: TaskRef, { clock }: Doing, cause: "start" | "resume") {
  await heal(home, clock);
  const progress = readProgress(home, ref.project, ref.task);
  if (movesFrom(progress.state, cause).length === 0 || liveRuns(home, ref).length > 0) {
    throw refused(ref, cause, progress);
  }
  return { progress, file: await readTaskFile(home, ref) };
}

function lastRun(home: Home, ref: TaskRef, { run }: TaskProgress): RunInfo | undefined {
  const runId = run || runIdsOf(home, ref).at(-1);
  if (runId === undefined) return undefined;
  const info = readRunInfo(runPaths(runFolder(home, ref.project, ref.task, runId)).info);
  return info && requireOwn(info);
}
