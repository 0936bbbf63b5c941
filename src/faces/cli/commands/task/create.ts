import { AppError } from "../../../../contract/errors.ts";
import { failedDependencyPolicies } from "../../../../contract/tasks/task-file.ts";
import { termsInFile } from "../../../../contract/tasks/task-terms.ts";
import { readConfig } from "../../../../core/config/config-file.ts";
import { projectOf, requireWorkspace } from "../../../../core/runner/workspace/workspace.ts";
import { attribution } from "../../../../core/runs/run-access.ts";
import { homePath, openHome } from "../../../../core/store/home.ts";
import { taskName } from "../../../../core/store/task-file.ts";
import { createTask } from "../../../../core/tasks/create.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { readPrompt } from "../../prompt-words.ts";
import { termsOf } from "../../run-options.ts";
import type { TermValues } from "../../term-options.ts";

export type CreateValues = TermValues & {
  title?: string;
  task?: string;
  project?: string;
  cwd?: string;
  "prompt-file"?: string;
  "depends-on"?: string[];
  "on-failed"?: string;
  "same-checkout"?: boolean;
  priority?: string;
  json?: boolean;
};

export async function create(values: CreateValues, words: readonly string[], context: Context): Promise<number> {
  const { env, stdin, stdout, clock } = context;
  const home = openHome(homePath(env));
  const workspace = requireWorkspace(values.cwd ?? ".", context.cwd);
  const terms = termsOf(values);
  const { agent, profile } = terms.who;
  if (agent !== undefined && profile !== undefined) {
    throw new AppError(
      "usage.invalid",
      "cox task create: a profile names its agent; give --agent or --profile, not both",
    );
  }
  const fromStdin = words.length === 0 && values["prompt-file"] === undefined && !stdin.isTTY;
  const prompt = await readPrompt(fromStdin ? { "prompt-file": "-" } : values, words, context);
  const project =
    values.project ?? (await readConfig(home.root)).project ?? (env.JRUN_PROJECT_ID || projectOf(workspace));
  const ref = await createTask(
    home,
    {
      version: 1,
      project,
      task: values.task,
      title: values.title ?? titleOf(prompt),
      prompt,
      workspace,
      ...termsInFile(terms),
      depends_on: values["depends-on"] ?? [],
      priority: priorityOf(values.priority),
      policy: {
        review: terms.what.review,
        on_failed_dependency: onFailed(values["on-failed"]),
        same_checkout: values["same-checkout"],
      },
      created: "",
      by: attribution(),
    },
    clock.now(),
  );
  stdout.write(values.json ? `${JSON.stringify(ref)}\n` : `${taskName(ref)}\n`);
  return 0;
}

export function titleOf(prompt: string): string {
  const line = prompt.split("\n").find((text) => text.trim() !== "") ?? "";
  return line.trim().slice(0, 120);
}

export function priorityOf(text = "0"): number {
  const priority = Number(text);
  if (Number.isInteger(priority) && Math.abs(priority) <= 100) return priority;
  throw new AppError("usage.invalid", `--priority ${JSON.stringify(text)}: not a number from -100 to 100`);
}

function onFailed(text = "fail") {
  const policy = failedDependencyPolicies.find((candidate) => candidate === text);
  if (policy !== undefined) return policy;
  throw new AppError("usage.invalid", `--on-failed ${text}: unknown; choose ${failedDependencyPolicies.join(", ")}`);
}
