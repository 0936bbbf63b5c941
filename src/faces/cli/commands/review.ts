import { AppError } from "../../../contract/errors.ts";
import { runName } from "../../../contract/ids.ts";
import { endingOf } from "../../../contract/runs/ending.ts";
import type { TaskSummary } from "../../../contract/tasks/task.ts";
import { formatAge } from "../../../contract/words/figures.ts";
import { readConfig } from "../../../core/config/config-file.ts";
import { TasksInReview } from "../../../core/runs/in-review.ts";
import { findTask } from "../../../core/store/find-task.ts";
import { type Home, homePath, openHome, runFolder } from "../../../core/store/home.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { readRunInfo } from "../../../core/store/runs/run-info.ts";
import { taskName } from "../../../core/store/task-file.ts";
import { heal } from "../../../core/tasks/heal.ts";
import { summarize } from "../../../core/tasks/task.ts";
import { findWorktree } from "../../../core/workspaces/worktrees/worktree-record.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { paintFor } from "../../../lib/command/paint.ts";
import { oneLine } from "../../../lib/text/printable.ts";
import { showReview } from "../review/review-screen.ts";
import { refuseInsideRun } from "../run-socket.ts";
import { isLive } from "../view/terminal/full-screen.ts";

export default command({
  name: "review",
  summary: "Walk through the tasks in review: what came of them, their diff; merge, send back, drop.",
  usage: "cox review [TASK]",
  words: [0, 1],
  options: {},
  examples: [
    "cox review                all of them, the longest waiting first; ? shows the keys",
    "cox review fix-login",
  ],
  async run({ positionals: [name] }, context) {
    const home = openHome(homePath(context.env));
    await heal(home, context.clock);
    const only = name === undefined ? undefined : await inReview(home, name);
    if (!isLive(context)) return list(home, only, context);
    refuseInsideRun("cox review", context.env);
    return showReview(home, context, await readConfig(home.root), only && taskName(only));
  },
});

async function inReview(home: Home, name: string): Promise<TaskSummary> {
  const task = await summarize(home, findTask(home, name));
  if (task.state === "review") return task;
  throw new AppError("task.state", `task ${taskName(task)}: is ${task.state}, so there is nothing to review`);
}

/** Without a terminal to walk through them: what there is, and what to type. */
async function list(home: Home, only: TaskSummary | undefined, context: Context): Promise<number> {
  const { stdout, stderr, clock } = context;
  const tasks = only === undefined ? await new TasksInReview(home).all() : [only];
  if (tasks.length === 0) stderr.write("no task is in review\n");
  const paint = paintFor(context);
  const texts = tasks.map((task) => {
    const [head = "", ...ways] = render(home, task, clock.now());
    return `${[paint.bold(head), ...ways].join("\n")}\n`;
  });
  stdout.write(texts.join("\n"));
  return 0;
}

function render(home: Home, task: TaskSummary, now: number): string[] {
  const name = taskName(task);
  const run = readRunInfo(runPaths(runFolder(home, task.project, task.task, task.run)).info);
  const ended = run === undefined ? "" : `, ${oneLine(run.agent)} ${runName(run)} ${endingOf(run)}`;
  const hasWorktree = findWorktree(home.root, task.project, task.task) !== undefined;
  const merge = hasWorktree ? `cox merge ${name} --message "…" && ` : "";
  return [
    `${name}: ${oneLine(task.title)}`,
    `  in review for ${formatAge(now - Date.parse(task.since))}${ended}`,
    ...(run === undefined ? [] : [`  look:      cox output ${runName(run)} · cox diff ${runName(run)}`]),
    `  accept:    ${merge}cox task done ${name}`,
    `  send back: cox task send-back ${name} "…"`,
    `  drop:      cox task cancel ${name}`,
  ];
}
