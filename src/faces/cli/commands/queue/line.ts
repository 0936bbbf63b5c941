import { formatAge } from "../../../../contract/words/figures.ts";
import { attribution } from "../../../../core/runs/run-access.ts";
import { findTask } from "../../../../core/store/find-task.ts";
import { homeAt, homePath, openHome } from "../../../../core/store/home.ts";
import { taskName } from "../../../../core/store/task-file.ts";
import { dequeueTask } from "../../../../core/tasks/change.ts";
import { enqueueTask, queueLine } from "../../../../core/tasks/queue/queue-line.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { renderTable } from "../../../../lib/command/table.ts";
import { oneLine, printableJson } from "../../../../lib/text/printable.ts";

export function ls(values: { json?: boolean }, { env, stdout, stderr, clock }: Context): number {
  const line = queueLine(homeAt(homePath(env)));
  if (values.json) {
    for (const queued of line) stdout.write(`${printableJson(queued)}\n`);
    return 0;
  }
  if (line.length === 0) {
    stderr.write("the queue is empty; put a task in with `cox queue add TASK`\n");
    return 0;
  }
  const rows = line.map((queued) => [
    queued.position === 0 ? queued.status : String(queued.position),
    taskName(queued),
    String(queued.priority),
    formatAge(clock.now() - Date.parse(queued.at)),
    oneLine(queued.reason),
  ]);
  stdout.write(
    renderTable([["POSITION", "TASK", "PRIORITY", "AGE", ""], ...rows], stdout.isTTY ? stdout.columns : undefined),
  );
  return 0;
}

export async function add(
  values: { project?: string; json?: boolean },
  names: readonly string[],
  { env, stdout, clock }: Context,
): Promise<number> {
  const home = openHome(homePath(env));
  for (const ref of names.map((name) => findTask(home, name, values.project))) {
    const position = await enqueueTask(home, ref, { by: attribution(), clock });
    stdout.write(values.json ? `${JSON.stringify({ ...ref, position })}\n` : `${taskName(ref)} position ${position}\n`);
  }
  return 0;
}

export function rm(values: { project?: string }, names: readonly string[], { env, stdout, clock }: Context): number {
  const home = openHome(homePath(env));
  for (const ref of names.map((name) => findTask(home, name, values.project))) {
    dequeueTask(home, ref, { by: attribution(), clock });
    stdout.write(`${taskName(ref)} todo\n`);
  }
  return 0;
}
