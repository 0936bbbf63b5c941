import { AppError } from "../../../../contract/errors.ts";
import { requireName } from "../../../../contract/ids.ts";
import { type TaskState, type TaskSummary, taskStates } from "../../../../contract/tasks/task.ts";
import { formatAge } from "../../../../contract/words/figures.ts";
import { firstWords } from "../../../../core/runs/first-words.ts";
import { listTasks, runIdsOf } from "../../../../core/store/find-task.ts";
import { type Home, homeAt, homePath } from "../../../../core/store/home.ts";
import { heal } from "../../../../core/tasks/heal.ts";
import { summarize } from "../../../../core/tasks/task.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { renderTable, withoutSpare } from "../../../../lib/command/table.ts";
import { oneLine, printableJson } from "../../../../lib/text/printable.ts";
import { count } from "../../term-options.ts";
import { sayNotHealed } from "../../told-aside.ts";

export async function ls(
  values: { project?: string; state?: string; limit?: string; json?: boolean },
  { env, stdout, stderr, clock }: Context,
): Promise<number> {
  const home = homeAt(homePath(env));
  if (values.project !== undefined) requireName("project", values.project);
  await heal(home, clock, sayNotHealed({ stderr }));
  const state = stateOf(values.state);
  const limit = count("cox task ls: --limit", values.limit) ?? LIMIT;
  const all: TaskSummary[] = [];
  for (const ref of listTasks(home, values.project)) {
    const task = await summarize(home, ref).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === "task.invalid")) throw error;
      stderr.write(`cox: ${oneLine(error.message)}\n`); // one that a person wrote wrongly hides no other
    });
    if (task !== undefined && (state === undefined || task.state === state)) all.push(task);
  }
  const tasks = all
    .toSorted(latestFirst)
    .slice(0, limit)
    .map((task) => titled(home, task));
  const more = all.length - tasks.length;
  if (values.json) {
    for (const task of tasks) stdout.write(`${printableJson(task)}\n`);
    return 0;
  }
  if (tasks.length === 0) stderr.write('no tasks; make one with `cox task create "…"`\n');
  else stdout.write(render(tasks, clock.now(), stdout.isTTY ? stdout.columns : undefined));
  if (more > 0) stderr.write(`${more} more: cox task ls -n ${all.length}\n`);
  return 0;
}

const LIMIT = 20;

const latestFirst = (a: TaskSummary, b: TaskSummary): number =>
  (a.since || a.created) < (b.since || b.created) ? 1 : -1;

/** A conversation is begun before anybody has said anything: it is called by what was said first. */
function titled(home: Home, task: TaskSummary): TaskSummary {
  const [first] = task.title === "" ? runIdsOf(home, task) : [];
  return first === undefined ? task : { ...task, title: firstWords(home, { ...task, run_id: first }) };
}

function render(tasks: readonly TaskSummary[], now: number, width: number | undefined): string {
  const rows = tasks.map(({ project, task, state, since, created, runs, title, reason }) => [
    `${project}/${task}`,
    state,
    formatAge(now - Date.parse(since || created || new Date(now).toISOString())),
    String(runs),
    oneLine(reason === "" || state === "done" ? title : `${title} (${reason})`),
  ]);
  const table = [["TASK", "STATE", "SINCE", "RUNS", "TITLE"], ...rows];
  return renderTable(width === undefined ? table : withoutSpare(table, width, ["RUNS", "SINCE"]), width);
}

function stateOf(text: string | undefined): TaskState | undefined {
  if (text === undefined) return undefined;
  const state = taskStates.find((candidate) => candidate === text);
  if (state !== undefined) return state;
  throw new AppError("usage.invalid", `cox task ls: --state ${text}: unknown; choose ${taskStates.join(", ")}`);
}
