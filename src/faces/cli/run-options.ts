import { resolve } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { requirePermissionMode } from "../../contract/requests/policy.ts";
import { nothingSpent } from "../../contract/runs/budget.ts";
import type { RunRequest } from "../../contract/runs/request.ts";
import { requireExecutorName, requireNetwork } from "../../core/launch/where/place.ts";
import { fallbackList } from "../../core/launch/who/fallback.ts";
import { attribution } from "../../core/runs/run-access.ts";
import type { CommandInput, Context, OptionSpec } from "../../lib/command/command.ts";
import { parseDuration } from "../../lib/command/duration.ts";
import { budgetOptions, limitsOf } from "./budget-options.ts";
import { readPrompt } from "./prompt-words.ts";

export const runOptions = {
  agent: { short: "a", value: "NAME", help: "which agent; default: config, else the first one ready, else demo" },
  profile: { short: "p", value: "NAME", help: "agent, model, keys and policy under one name (see cox profile)" },
  fallback: { value: "A,B", help: "agents that take over when the first is not installed, logged in or paid" },
  model: { short: "m", value: "MODEL", help: "which model" },
  project: { value: "NAME", help: "project; default: the git repository's name" },
  task: { value: "NAME", help: "task; default: a new one" },
  cwd: { short: "C", value: "DIR", help: "the folder to work in; default: this one" },
  on: { value: "WHERE", help: "local, sandbox, container or kubernetes; default: its profile's, else local" },
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
  "no-detach": { help: "also at a terminal: one process, and the run ends with it" },
  interactive: { short: "i", help: "stay for follow-up prompts" },
  resume: { value: "RUN", help: "go on with the conversation of an earlier run" },
  json: { help: "print events as JSON lines" },
  quiet: { short: "q", help: "print only the final answer" },
} as const satisfies Record<string, OptionSpec>;

type Values = CommandInput<typeof runOptions>["values"];

/** The command line as a request; what it doesn't say is decided by whoever hosts the run. */
export async function requestOf(values: Values, words: readonly string[], context: Context): Promise<RunRequest> {
  const limits = limitsOf(values);
  const prompt = await readPrompt(values, words, context);
  return {
    who: {
      agent: values.agent,
      profile: values.profile,
      model: values.model,
      fallback: fallbackList(values.fallback),
    },
    what: {
      prompt: prompt === "" ? [] : [{ type: "text", text: prompt }],
      mode: values.interactive ? "interactive" : "batch",
      preamble: values["no-preamble"] !== true,
      tools: values["no-tools"] !== true,
    },
    where: {
      project: values.project,
      task: values.task,
      // Whoever goes on with a run goes on where that was.
      workspace:
        values.cwd === undefined && values.resume !== undefined ? undefined : resolve(context.cwd, values.cwd ?? ""),
      on: values.on === undefined ? undefined : requireExecutorName(values.on),
      network: values.network === undefined ? undefined : requireNetwork(values.network),
      worktree: values.worktree ? { base: values.base } : undefined,
      env: variables(values.env ?? []),
      cleanEnv: values["clean-env"] === true,
    },
    limits: {
      permissions: values.permissions === undefined ? undefined : requirePermissionMode(values.permissions),
      unattended: nobodyToAsk(values, context),
      timeoutMs: duration("timeout", values.timeout),
      idleTimeoutMs: duration("idle-timeout", values["idle-timeout"]),
      budget: limits && { of: "this run", limits, spent: nothingSpent },
    },
    lineage: {
      by: attribution(),
      parent: context.env.COX_RUN_ID,
      resume: values.resume === undefined ? undefined : { run: values.resume },
    },
  };
}

/** In the foreground without a terminal nobody could ever answer; a detached run waits for \`cox answer\`. */
function nobodyToAsk(values: Values, context: Context): string | undefined {
  if (values.detach || (context.stdin.isTTY && context.stderr.isTTY)) return undefined;
  return "there is no terminal to ask on; run with --permissions allow, or detached (-d) and use `cox answer`";
}

const duration = (name: string, given: string | undefined): number | undefined =>
  given === undefined ? undefined : parseDuration(`--${name}`, given);

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
