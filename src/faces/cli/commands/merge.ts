import { AppError, type ErrorCode } from "../../../contract/errors.ts";
import { runName } from "../../../contract/ids.ts";
import { plural } from "../../../contract/words/figures.ts";
import { startDetached } from "../../../core/launch/detach.ts";
import { attribution } from "../../../core/runs/run-access.ts";
import { conflictsOf, mergeWork, requireBase, requireWorktree } from "../../../core/runs/task-work.ts";
import { findTask } from "../../../core/store/find-task.ts";
import { type Home, homePath, openHome } from "../../../core/store/home.ts";
import { runsBackward } from "../../../core/store/ledger/ledger.ts";
import { findRun } from "../../../core/store/runs/find-run.ts";
import { type TaskRef } from "../../../core/store/task-file.ts";
import { finishTask } from "../../../core/tasks/change.ts";
import { heal } from "../../../core/tasks/heal.ts";
import { summarize } from "../../../core/tasks/task.ts";
import { conflictPrompt } from "../../../core/workspaces/worktrees/merge.ts";
import { listWorktrees } from "../../../core/workspaces/worktrees/worktree-record.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { oneLine, printableJson } from "../../../lib/text/printable.ts";
import { requestOf } from "../run-options.ts";

export default command({
  name: "merge",
  summary: "Bring the work of a task's worktree onto its base branch.",
  usage: "cox merge TASK|RUN [options]",
  words: [1, 1],
  options: {
    rebase: { help: "put its commits on top of the branch (default)" },
    merge: { help: "make a merge commit" },
    into: { value: "BRANCH", help: "the branch it goes to; default: the one it began at" },
    message: { short: "m", value: "TEXT", help: "commit what is uncommitted first, with this message" },
    "keep-conflicts": { help: "leave conflicts in the worktree, and print what to tell the agent" },
    resolve: { help: "leave conflicts in the worktree, and let the agent resolve them, in the background" },
    project: { value: "NAME", help: "the task's project, where its name is not enough" },
    json: { help: "print the result as one JSON object" },
  },
  examples: [
    'cox merge fix-login -m "Fix the login test"',
    "cox merge fix-login --resolve      on conflicts; when the agent is done: cox merge fix-login",
  ],
  async run({ values, positionals }, context) {
    if (values.rebase && values.merge) throw new AppError("usage.invalid", "cox merge: --rebase or --merge, not both");
    const home = openHome(homePath(context.env));
    await heal(home, context.clock);
    const ref = taskOf(home, positionals[0] ?? "", values.project);
    const record = requireWorktree(home, ref);
    const how = values.merge ? "merge" : "rebase";
    const into = values.into ?? requireBase(record);
    const keepConflicts = values["keep-conflicts"] === true || values.resolve === true;
    try {
      const merged = await mergeWork(home, ref, { into, how, keepConflicts, commitMessage: values.message });
      const words = `${merged.branch} is now in ${into}: ${plural(merged.commits, "commit")}, ${merged.diffStat}`;
      for (const path of merged.leftOut)
        context.stderr.write(`cox: ${oneLine(path)}: left out, it is a repository of its own\n`);
      // What nobody looks at any more doesn't wait in review.
      if ((await summarize(home, ref)).state === "review") {
        await finishTask(home, ref, { by: attribution(), clock: context.clock });
      }
      context.stdout.write(`${values.json ? printableJson({ ...ref, ...merged }) : words}\n`);
      return 0;
    } catch (error) {
      const conflicts = conflictsOf(error);
      if (conflicts === undefined || !keepConflicts) throw error;
      const prompt = conflictPrompt(conflicts, how, into);
      context.stderr.write(`cox: conflicts in ${conflicts.map(oneLine).join(", ")}; they are left in ${record.path}\n`);
      if (values.resolve) await handOver(home, ref, prompt, context);
      else context.stdout.write(`${prompt}\n`);
      return 1;
    }
  },
});

function taskOf(home: Home, name: string, project: string | undefined): TaskRef {
  const found = unlessMissing("task.not_found", () => findTask(home, name, project));
  // A task whose first run never began has only its worktree.
  const bare = listWorktrees(home.root).find(
    (each) => each.task === name && each.project === (project ?? each.project),
  );
  const ref = found ?? bare ?? unlessMissing("run.not_found", () => findRun(home, name));
  if (ref !== undefined) return { project: ref.project, task: ref.task };
  throw new AppError(
    "task.not_found",
    `${oneLine(name)}: there is no such task or run; see \`cox task ls\` and \`cox ls\``,
  );
}

function unlessMissing<T>(code: ErrorCode, find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof AppError && error.code === code) return undefined;
    throw error;
  }
}

/** The conversation that made the work goes on with its conflicts. */
async function handOver(home: Home, ref: TaskRef, prompt: string, context: Context): Promise<void> {
  const request = await requestOf({ resume: lastRun(home, ref), detach: true, review: true }, [prompt], context);
  const { runId, handle } = await startDetached(request, context.env);
  const name = runName({ handle, run_id: runId });
  context.stdout.write(`${name}\n`);
  context.stderr.write(`the agent resolves them; watch it with \`cox attach ${name}\`, then: cox merge ${ref.task}\n`);
}

function lastRun(home: Home, { project, task }: TaskRef): string {
  for (const run of runsBackward(home)) if (run.project === project && run.task === task) return run.run_id;
  throw new AppError("run.not_found", `task ${project}/${task}: has no run to go on with`);
}
