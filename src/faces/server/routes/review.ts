import type { reviewRoutes } from "../../../contract/api/workspace.ts";
import { AppError } from "../../../contract/errors.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { movesFrom } from "../../../contract/tasks/task.ts";
import { readProgress } from "../../../core/store/bus/lifecycle.ts";
import {
  addComment,
  type LineComment,
  putMark,
  readComments,
  removeComment,
  removeMark,
} from "../../../core/store/review.ts";
import type { TaskRef } from "../../../core/store/task-file.ts";
import { launcher } from "../../../core/tasks/launch.ts";
import { sendBackTask, tellTask } from "../../../core/tasks/start.ts";
import type { Handlers } from "../api/handlers.ts";
import type { ServerPorts } from "../ports.ts";

export function reviewHandlers(
  ports: ServerPorts,
  infoOf: (run: string) => RunInfo,
): Handlers<keyof typeof reviewRoutes> {
  const { home, clock } = ports;
  const taskOf = (run: string): TaskRef => {
    const { project_id: project, task_id: task } = infoOf(run);
    return { project, task };
  };
  const now = () => new Date(clock.now()).toISOString();
  return {
    "PUT /runs/{run}/review/marks": ({ params, body: { path, hash, reviewed } }, { by }) => {
      const ref = taskOf(params.run);
      if (reviewed) putMark(home, ref, { path, hash, by, at: now() });
      else removeMark(home, ref, path);
      return undefined;
    },
    "GET /runs/{run}/review/comments": ({ params }) => ({ items: readComments(home, taskOf(params.run)) }),
    "POST /runs/{run}/review/comments": ({ params, body }, { by }) =>
      addComment(home, taskOf(params.run), { ...body, by, at: now() }),
    "DELETE /runs/{run}/review/comments/{comment}": ({ params }) => {
      removeComment(home, taskOf(params.run), params.comment);
      return undefined;
    },
    "POST /runs/{run}/review/send": async ({ params, body }, { by }) => {
      const ref = taskOf(params.run);
      const comments = readComments(home, ref);
      if (comments.length === 0 && body.text.trim() === "") {
        throw new AppError("usage.invalid", "send review: there is no comment yet; write one, or a text");
      }
      const run_id = await tellAgent(ports, ref, messageOf(body.text, comments), by);
      // Only now: what could not be said is not forgotten.
      for (const { id } of comments) removeComment(home, ref, id);
      return { run_id, comments: comments.length };
    },
  };
}

/** One message, in the order of the files, so that an agent can go through it. */
export function messageOf(text: string, comments: readonly LineComment[]): string {
  const parts = text.trim() === "" ? [] : [text.trim()];
  const inOrder = [...comments].sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  for (const { path, line, side, quote, text: said } of inOrder) {
    const where = side === "old" ? `${path}:${line} (before the change)` : `${path}:${line}`;
    parts.push([where, ...(quote === "" ? [] : [`> ${quote}`]), said].join("\n"));
  }
  return parts.join("\n\n");
}

/** Work that is under review is sent back; to whoever is still at it, or has only stopped, it is said. */
async function tellAgent({ home, clock, start }: ServerPorts, ref: TaskRef, text: string, by: string): Promise<string> {
  const doing = { by, clock };
  const { state } = readProgress(home, ref.project, ref.task);
  if (movesFrom(state, "send_back").length > 0) return sendBackTask(home, ref, text, doing, launcher(start));
  return tellTask(home, ref, text, doing, launcher(start));
}
