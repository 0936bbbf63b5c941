import { findTask, runIdsOf } from "../../../../core/store/find-task.ts";
import { type Home, homeAt, homePath } from "../../../../core/store/home.ts";
import { nameOfRun } from "../../../../core/store/runs/find-run.ts";
import { readTaskFile, type TaskRef, taskName } from "../../../../core/store/task-file.ts";
import { dependencyStatuses } from "../../../../core/tasks/dependencies.ts";
import { heal } from "../../../../core/tasks/heal.ts";
import { queueLine } from "../../../../core/tasks/queue/queue-line.ts";
import { resultsOf } from "../../../../core/tasks/results.ts";
import { summaryOf } from "../../../../core/tasks/task.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { renderTable } from "../../../../lib/command/table.ts";
import { oneLine, printable, printableJson } from "../../../../lib/text/printable.ts";
import { sayNotHealed } from "../../told-aside.ts";

/** Everything that is known of one task. */
export async function show(
  values: { project?: string; json?: boolean },
  [name = ""]: readonly string[],
  { env, stdout, stderr, clock }: Context,
): Promise<number> {
  const home = homeAt(homePath(env));
  await heal(home, clock, sayNotHealed({ stderr }));
  const ref = findTask(home, name, values.project);
  const facts = await factsOf(home, ref);
  stdout.write(values.json ? `${printableJson(facts)}\n` : render(home, facts));
  return 0;
}

type Facts = Awaited<ReturnType<typeof factsOf>>;

async function factsOf(home: Home, ref: TaskRef) {
  const file = await readTaskFile(home, ref);
  return {
    ...summaryOf(home, ref, file),
    prompt: file?.prompt ?? "",
    profile: file?.profile ?? "",
    workspace: file?.workspace ?? "",
    model: file?.model ?? "",
    worktree: file?.worktree,
    permissions: file?.permissions ?? "",
    on: file?.on ?? "",
    policy: file?.policy,
    limits: file?.limits,
    dependencies: file === undefined ? [] : dependencyStatuses(home, ref.project, file),
    queue: queueLine(home).find(({ project, task }) => project === ref.project && task === ref.task),
    run_ids: runIdsOf(home, ref),
    results: resultsOf(home, ref),
  };
}

function render(home: Home, facts: Facts): string {
  const { queue } = facts;
  const rows: [string, string][] = [
    ["task", taskName(facts)],
    ["title", facts.title],
    ["state", facts.reason === "" ? facts.state : `${facts.state}: ${facts.reason}`],
    ["since", `${facts.since} (${facts.cause}${facts.by === "" ? "" : ` by ${facts.by}`})`],
    ["queue", queue === undefined ? "" : queue.position === 0 ? queue.status : `position ${queue.position}`],
    ["agent", facts.profile === "" ? facts.agent : `profile ${facts.profile}`],
    ["model", facts.model],
    ["permissions", facts.permissions],
    ["on", facts.on],
    ["folder", facts.worktree === undefined ? facts.workspace : `a worktree of ${facts.workspace}`],
    ["priority", facts.priority === 0 ? "" : String(facts.priority)],
    ["review", facts.policy?.review ? "yes" : ""],
    ["depends on", facts.dependencies.map(({ name, state }) => `${name} (${state})`).join(", ")],
    [
      "runs",
      facts.run_ids
        .slice(-5)
        .map((id) => nameOfRun(home, id))
        .join(" "),
    ],
    ...Object.entries(facts.results).map(([key, value]): [string, string] => [`result ${key}`, value.slice(0, 200)]),
  ];
  const table = renderTable(rows.filter(([, text]) => text !== "").map(([key, text]) => [key, oneLine(text)]));
  return facts.prompt === "" ? table : `${table}\n${printable(facts.prompt).trimEnd()}\n`;
}
