import { resolve } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { requireName } from "../../contract/ids.ts";
import { requirePermissionMode, type Unattended } from "../../contract/requests/policy.ts";
import { nothingSpent } from "../../contract/runs/budget.ts";
import type { RunRequest } from "../../contract/runs/request.ts";
import type { RequestedTerms } from "../../contract/tasks/task-terms.ts";
import { wordsOf } from "../../contract/words/content.ts";
import { readConfig } from "../../core/config/config-file.ts";
import { requireExecutorName, requireNetwork } from "../../core/launch/where/place.ts";
import { fallbackList } from "../../core/launch/who/fallback.ts";
import { projectOf, requireWorkspace } from "../../core/runner/workspace/workspace.ts";
import { attribution } from "../../core/runs/run-access.ts";
import { homeAt, homePath, openHome } from "../../core/store/home.ts";
import { readTaskFile, type TaskRef } from "../../core/store/task-file.ts";
import { requestForTask } from "../../core/tasks/start.ts";
import type { CommandInput, Context, OptionSpec } from "../../lib/command/command.ts";
import { parseDuration } from "../../lib/command/duration.ts";
import { readPrompt } from "./prompt-words.ts";
import { envOption, limitsOf, promptOption, type TermValues, termOptions } from "./term-options.ts";

export const runOptions = {
  project: { value: "NAME", help: "project; default: the git repository's name" },
  task: { value: "NAME", help: "task; default: a new one; without a prompt, that of this task" },
  cwd: { short: "C", value: "DIR", help: "the folder to work in; default: this one, or the task's" },
  ...promptOption,
  ...termOptions,
  ...envOption,
  detach: { short: "d", help: "run in the background" },
  "no-detach": { help: "also at a terminal: one process, and the run ends with it" },
  interactive: { short: "i", help: "stay for follow-up prompts" },
  resume: { value: "RUN", help: "go on with the conversation of an earlier run" },
  json: { help: "print events as JSON lines" },
  quiet: { short: "q", help: "print only the final answer" },
} as const satisfies Record<string, OptionSpec>;

type Values = CommandInput<typeof runOptions>["values"];

/** What these options say of a run; what they don't say is left open. */
export function termsOf(values: TermValues): RequestedTerms & { what: { review?: boolean } } {
  const limits = limitsOf(values);
  if (values.review && values["no-review"]) {
    throw new AppError("usage.invalid", "--review or --no-review, not both");
  }
  if (values.base !== undefined && !values.worktree) {
    throw new AppError("usage.invalid", "--base: is where a worktree begins; add --worktree");
  }
  return {
    who: {
      agent: values.agent,
      profile: values.profile,
      model: values.model,
      fallback: fallbackList(values.fallback),
    },
    what: {
      preamble: values["no-preamble"] ? false : undefined,
      tools: values["no-tools"] ? false : undefined,
      review: values.review ? true : values["no-review"] ? false : undefined,
    },
    where: {
      on: values.on === undefined ? undefined : requireExecutorName(values.on),
      network: values.network === undefined ? undefined : requireNetwork(values.network),
      worktree: values.worktree ? { base: values.base } : undefined,
      cleanEnv: values["clean-env"],
    },
    limits: {
      permissions: values.permissions === undefined ? undefined : requirePermissionMode(values.permissions),
      timeoutMs: duration("timeout", values.timeout),
      timeoutFrom: values.timeout === undefined ? undefined : "--timeout",
      idleTimeoutMs: duration("idle-timeout", values["idle-timeout"]),
      idleTimeoutFrom: values["idle-timeout"] === undefined ? undefined : "--idle-timeout",
      budget: limits && { of: "this run", limits, spent: nothingSpent },
    },
  };
}

/** The command line as a request; what it doesn't say is decided by whoever hosts the run. */
export async function requestOf(values: Values, words: readonly string[], context: Context): Promise<RunRequest> {
  const terms = termsOf(values);
  const known = await taskOf(values, context);
  const isBare = words.length === 0 && values["prompt-file"] === undefined;
  const own = known !== undefined && isBare ? await promptOf(known, context) : "";
  const prompt = await readPrompt(values, own === "" ? words : [own], context);
  return {
    who: terms.who,
    what: {
      ...terms.what,
      prompt: prompt === "" ? [] : [{ type: "text", text: prompt }],
      mode: values.interactive ? "interactive" : "batch",
    },
    where: {
      ...terms.where,
      project: known?.project ?? values.project,
      task: values.task,
      // Whoever goes on with a run, or with a task, goes on where that was.
      workspace:
        values.cwd === undefined && (values.resume !== undefined || known !== undefined)
          ? undefined
          : resolve(context.cwd, values.cwd ?? ""),
      env: variables(values.env ?? []),
    },
    limits: { ...terms.limits, unattended: nobodyToAsk(values, context) },
    lineage: {
      by: attribution(),
      parent: context.env.COX_RUN_ID,
      resume: values.resume === undefined ? undefined : { run: values.resume },
    },
  };
}

/** The task that is named, if somebody has made it: what it says holds for the run. */
async function taskOf(values: Values, { env, cwd }: Context): Promise<TaskRef | undefined> {
  if (values.task === undefined || values.resume !== undefined) return undefined;
  const home = homeAt(homePath(env));
  const folder = requireWorkspace(values.cwd ?? ".", cwd);
  const project = values.project ?? (await readConfig(home.root)).project ?? (env.JRUN_PROJECT_ID || projectOf(folder));
  const ref = { project: requireName("project", project), task: requireName("task", values.task) };
  return (await readTaskFile(home, ref)) === undefined ? undefined : ref;
}

async function promptOf(ref: TaskRef, { env, clock }: Context): Promise<string> {
  const { what } = await requestForTask(openHome(homePath(env)), ref, { by: attribution(), clock });
  return wordsOf(what.prompt);
}

/** In the foreground without a terminal nobody could ever answer; a detached run waits for \`cox answer\`. */
function nobodyToAsk(values: Values, context: Context): Unattended | undefined {
  if (values.detach || (context.stdin.isTTY && context.stderr.isTTY)) return undefined;
  const why = "there is no terminal to ask on; run";
  return {
    permission: `${why} with --permissions allow, or detached (-d) and use \`cox answer\``,
    question: `${why} detached (-d) and use \`cox answer\`, or say it in the prompt`,
  };
}

const duration = (name: string, given: string | undefined): number | undefined =>
  given === undefined ? undefined : parseDuration(`--${name}`, given);

export function variables(pairs: readonly string[]): Record<string, string> | undefined {
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      const name = pair.slice(0, at);
      if (at > 0 && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !pair.includes("\0")) return [name, pair.slice(at + 1)];
      throw new AppError("usage.invalid", `--env ${JSON.stringify(pair.slice(0, 40))}: use NAME=VALUE`);
    }),
  );
}
