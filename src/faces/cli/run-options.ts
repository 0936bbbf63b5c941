import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { text } from "node:stream/consumers";
import { AppError, messageOf } from "../../contract/errors.ts";
import { newTaskName, requireName } from "../../contract/ids.ts";
import { type PermissionMode, permissionModes } from "../../contract/requests/policy.ts";
import { nothingSpent } from "../../contract/runs/budget.ts";
import { requireOwn } from "../../contract/runs/imported.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { readConfig } from "../../core/config/config-file.ts";
import type { RunRequest } from "../../core/launch/run-request.ts";
import { requireExecutorName, requireNetwork } from "../../core/launch/where/place.ts";
import { chooseAgent } from "../../core/launch/who/choose-agent.ts";
import { fallbackList } from "../../core/launch/who/fallback.ts";
import { profileFor } from "../../core/launch/who/profile-choice.ts";
import { projectOf, requireWorkspace } from "../../core/runner/workspace/workspace.ts";
import { attribution } from "../../core/runs/run-access.ts";
import { homeAt, homePath } from "../../core/store/home.ts";
import { findRun } from "../../core/store/runs/find-run.ts";
import { readRunInfo } from "../../core/store/runs/run-info.ts";
import { distrustWorkspace } from "../../core/workspaces/git/writable-places.ts";
import type { CommandInput, Context, OptionSpec } from "../../lib/command/command.ts";
import { parseDuration } from "../../lib/command/duration.ts";
import { budgetOptions, limitsOf } from "./budget-options.ts";

export const runOptions = {
  agent: { short: "a", value: "NAME", help: "which agent; default: config, else the first one ready, else demo" },
  profile: { short: "p", value: "NAME", help: "agent, model, keys and policy under one name (see cox profile)" },
  fallback: { value: "A,B", help: "agents that take over when the first is not installed, logged in or paid" },
  model: { short: "m", value: "MODEL", help: "which model" },
  project: { value: "NAME", help: "project; default: the git repository's name" },
  task: { value: "NAME", help: "task; default: a new one" },
  cwd: { short: "C", value: "DIR", help: "the folder to work in; default: this one" },
  on: {
    value: "WHERE",
    help: "where the agent lives: local, sandbox, container or kubernetes (its profile's, else local)",
  },
  network: { value: "on|off", help: "in a sandbox or container: whether it has one (on)" },
  worktree: { short: "w", help: "work in a checkout and on a branch of the task's own" },
  base: { value: "REF", help: "with --worktree: begin at this branch or commit" },
  "prompt-file": { short: "f", value: "FILE", help: "read the prompt from FILE, or from stdin with -" },
  timeout: { value: "TIME", help: "end the run after this long (90, 90s, 30m, 2h)" },
  "idle-timeout": { value: "TIME", help: "end the run when the agent is silent this long" },
  ...budgetOptions,
  permissions: { value: "MODE", help: "ask (default), allow or deny what the agent asks for" },
  env: { short: "e", value: "K=V", repeat: true, help: "set a variable for the agent (repeatable)" },
  "clean-env": { help: "give the agent a minimal environment, not yours" },
  "no-tools": { help: "don't give the agent tools for the bus, questions and children" },
  "no-preamble": { help: "don't tell the agent about its run, the bus and children" },
  detach: { short: "d", help: "run in the background" },
  interactive: { short: "i", help: "stay for follow-up prompts" },
  resume: { value: "RUN", help: "go on with the conversation of an earlier run" },
  json: { help: "print events as JSON lines" },
  quiet: { short: "q", help: "print only the final answer" },
} as const satisfies Record<string, OptionSpec>;

type Values = CommandInput<typeof runOptions>["values"];

/** The command line, the config file and the place we are in, as one request. */
export async function requestOf(values: Values, words: readonly string[], context: Context): Promise<RunRequest> {
  const home = homePath(context.env);
  const config = await readConfig(home);
  const limits = limitsOf(values);
  const earlier = values.resume === undefined ? undefined : earlierRun(home, values.resume);
  const workspace = requireWorkspace(values.cwd ?? earlier?.cwd ?? ".", context.cwd);
  distrustWorkspace(workspace);
  const profile = await profileFor(values, earlier, home);
  const named = profile?.agent ?? values.agent ?? earlier?.agent ?? config.agent ?? (await chooseAgent(context));
  const agent = requireName("agent", named.toLowerCase());
  const otherAgent = earlier !== undefined && earlier.agent !== agent;
  const earlierModel = otherAgent || values.profile !== undefined ? undefined : earlier?.model || undefined;
  const earlierPermissions = values.profile === undefined ? earlier?.permissions || undefined : undefined;
  const prompt = await readPrompt(values, words, context);
  const project =
    values.project ?? earlier?.project_id ?? config.project ?? context.env.JRUN_PROJECT_ID ?? projectOf(workspace);
  const task = values.task ?? earlier?.task_id ?? newTaskName(prompt, context.clock.now());
  return {
    home,
    project: requireName("project", project),
    task: requireName("task", task),
    agent,
    fallback: fallbackList(values.fallback),
    profile: profile?.name ?? "",
    model: values.model ?? earlierModel ?? profile?.model,
    workspace,
    ...placeOf(values, earlier),
    worktree: values.worktree ? { base: values.base } : undefined,
    prompt: prompt === "" ? [] : [{ type: "text", text: prompt }],
    mode: values.interactive ? "interactive" : "batch",
    permissions: permissionMode(
      values.permissions ?? earlierPermissions ?? profile?.permissions ?? config.permissions ?? "ask",
    ),
    permissionKinds: values.permissions === undefined ? profile?.permissionKinds : undefined,
    unattended: nobodyToAsk(values, context),
    timeoutMs: duration("timeout", values.timeout, config.timeout),
    idleTimeoutMs: duration("idle-timeout", values["idle-timeout"], config.idle_timeout),
    budget: limits && { of: "this run", limits, spent: nothingSpent },
    env: variables(values.env ?? []),
    cleanEnv: values["clean-env"] === true,
    preamble: values["no-preamble"] !== true,
    tools: values["no-tools"] !== true,
    parentRunId: context.env.COX_RUN_ID,
    previousRunId: earlier?.run_id,
    resume: earlier === undefined ? undefined : { sessionId: earlier.session_id, otherAgent },
    by: attribution(),
  };
}

/** A conversation that was fenced in goes on where it was, and nowhere else without being told. */
function placeOf({ on, network, profile }: Values, earlier: RunInfo | undefined): Pick<RunRequest, "on" | "network"> {
  const same = earlier !== undefined && (profile === undefined || profile === earlier.profile) && on === undefined;
  const before = same && earlier.on !== "local" ? { on: earlier.on, network: earlier.network } : {};
  return {
    ...before,
    ...(on === undefined ? {} : { on: requireExecutorName(on) }),
    ...(network === undefined ? {} : { network: requireNetwork(network) }),
  };
}

function earlierRun(home: string, name: string): RunInfo {
  const found = findRun(homeAt(home), name);
  const info = readRunInfo(found.paths.info);
  if (info === undefined) throw new AppError("run.not_found", `run ${found.run_id}: its directory is gone`);
  requireOwn(info);
  if (found.end === undefined && info.status === "running") {
    throw new AppError(
      "run.not_resumable",
      `run ${info.run_id}: still runs; send it a prompt with \`cox prompt ${info.run_id} TEXT\``,
    );
  }
  if (info.session_id !== "") return info;
  throw new AppError(
    "run.not_resumable",
    `run ${info.run_id}: never had a conversation; start it anew without --resume`,
  );
}

export async function readPrompt(
  values: Pick<Values, "prompt-file" | "interactive">,
  words: readonly string[],
  context: Context,
): Promise<string> {
  const file = values["prompt-file"];
  if (file !== undefined && words.length > 0) {
    throw new AppError("usage.invalid", "prompt: give it as words or with --prompt-file, not both");
  }
  if (file === "-") return text(context.stdin);
  if (file !== undefined) return promptFile(resolve(context.cwd, file));
  if (words.length > 0) return words.join(" ");
  if (values.interactive && context.stdin.isTTY) return "";
  if (!context.stdin.isTTY || !context.stderr.isTTY) {
    throw new AppError(
      "usage.invalid",
      "prompt: there is none; give it as words, or with --prompt-file FILE (- for stdin)",
    );
  }
  return askForPrompt(context);
}

function promptFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new AppError("usage.invalid", `prompt: read ${path}: ${messageOf(error)}`, {}, { cause: error });
  }
}

async function askForPrompt(context: Context): Promise<string> {
  const lines = createInterface({ input: context.stdin, output: context.stderr });
  try {
    const answer = (await lines.question("What should the agent do? ")).trim();
    if (answer !== "") return answer;
    throw new AppError("usage.invalid", "prompt: there is none, so there is nothing to do");
  } finally {
    lines.close();
  }
}

function permissionMode(word: string): PermissionMode {
  const mode = permissionModes.find((candidate) => candidate === word);
  if (mode !== undefined) return mode;
  throw new AppError("usage.invalid", `permissions ${word}: unknown; choose ask, allow or deny`);
}

/** In the foreground without a terminal nobody could ever answer; a detached run waits for \`cox answer\`. */
function nobodyToAsk(values: Values, context: Context): string | undefined {
  if (values.detach || (context.stdin.isTTY && context.stderr.isTTY)) return undefined;
  return "there is no terminal to ask on; run with --permissions allow, or detached (-d) and use `cox answer`";
}

function duration(name: string, given: string | undefined, configured: number | undefined): number | undefined {
  if (given !== undefined) return parseDuration(`--${name}`, given);
  return configured === undefined ? undefined : configured * 1000;
}

function variables(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      const name = pair.slice(0, at);
      if (at > 0 && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !pair.includes("\0")) return [name, pair.slice(at + 1)];
      throw new AppError("usage.invalid", `--env ${JSON.stringify(pair.slice(0, 40))}: use NAME=VALUE`);
    }),
  );
}
