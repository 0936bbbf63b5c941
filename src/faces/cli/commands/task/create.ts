import { text } from "node:stream/consumers";
import { AppError } from "../../../../contract/errors.ts";
import { failedDependencyPolicies } from "../../../../contract/tasks/task-file.ts";
import { readConfig } from "../../../../core/config/config-file.ts";
import { projectOf, requireWorkspace } from "../../../../core/runner/workspace/workspace.ts";
import { attribution } from "../../../../core/runs/run-access.ts";
import { homePath, openHome } from "../../../../core/store/home.ts";
import { taskName } from "../../../../core/store/task-file.ts";
import { createTask } from "../../../../core/tasks/create.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { parseDuration } from "../../../../lib/command/duration.ts";

export interface CreateValues {
  title?: string;
  task?: string;
  project?: string;
  agent?: string;
  profile?: string;
  cwd?: string;
  "depends-on"?: string[];
  "on-failed"?: string;
  review?: boolean;
  "no-review"?: boolean;
  priority?: string;
  timeout?: string;
  "idle-timeout"?: string;
  json?: boolean;
}

export async function create(values: CreateValues, words: readonly string[], context: Context): Promise<number> {
  const { env, stdin, stdout, clock } = context;
  const home = openHome(homePath(env));
  const workspace = requireWorkspace(values.cwd ?? ".", context.cwd);
  const prompt = words.length > 0 ? words.join(" ") : stdin.isTTY ? "" : await text(stdin);
  const project =
    values.project ?? (await readConfig(home.root)).project ?? (env.JRUN_PROJECT_ID || projectOf(workspace));
  if (values.agent !== undefined && values.profile !== undefined) {
    throw new AppError(
      "usage.invalid",
      "cox task create: a profile names its agent; give --agent or --profile, not both",
    );
  }
  if (values.review && values["no-review"]) {
    throw new AppError("usage.invalid", "cox task create: --review or --no-review, not both");
  }
  const ref = await createTask(
    home,
    {
      version: 1,
      project,
      task: values.task,
      title: values.title ?? titleOf(prompt),
      prompt,
      agent: values.agent,
      profile: values.profile,
      workspace,
      depends_on: values["depends-on"] ?? [],
      priority: priorityOf(values.priority),
      policy: { review: values.review === true, on_failed_dependency: onFailed(values["on-failed"]) },
      limits: {
        timeout: seconds("timeout", values.timeout),
        idle_timeout: seconds("idle-timeout", values["idle-timeout"]),
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

function seconds(name: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(`--${name}`, text) / 1000;
}
