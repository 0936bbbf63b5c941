import { AppError } from "../../../contract/errors.ts";
import { runName } from "../../../contract/ids.ts";
import type { BudgetLimits } from "../../../contract/runs/budget.ts";
import type { DecidedRequest } from "../../../contract/runs/request.ts";
import type { LoopPolicy } from "../../../contract/runs/restart.ts";
import { stateAfter } from "../../../contract/tasks/task.ts";
import { wordsOf } from "../../../contract/words/content.ts";
import { decideRequest } from "../../../core/launch/decide-request.ts";
import { inTask } from "../../../core/launch/in-task.ts";
import { tellLoopEnd } from "../../../core/launch/notifying.ts";
import { prepareRun } from "../../../core/launch/prepare-run.ts";
import { Settings } from "../../../core/launch/settings.ts";
import { type AttemptResult, runLoop } from "../../../core/runner/loop.ts";
import { postTaskChange } from "../../../core/store/bus/lifecycle.ts";
import { homeAt, homePath, taskFolder } from "../../../core/store/home.ts";
import { waitForDescendants } from "../../../core/tasks/children.ts";
import { hasChanged } from "../../../core/workspaces/run-changes.ts";
import { type CommandInput, type Context, command, type OptionSpec } from "../../../lib/command/command.ts";
import { parseDuration } from "../../../lib/command/duration.ts";
import { exitOf } from "../../../lib/process/exit.ts";
import { foregroundRun } from "../foreground.ts";
import { requestOf, runOptions } from "../run-options.ts";
import { count, limitsOf, timeOption } from "../term-options.ts";

const {
  detach: _,
  "no-detach": _own,
  interactive: __,
  resume: ___,
  review: _judged,
  "no-review": _unjudged,
  ...shared
} = runOptions;

const options = {
  until: {
    value: "WHAT",
    choices: ["either", "success", "done"],
    help: "either (default): a completed run or a new DONE file; success; done",
  },
  "max-attempts": { value: "N", help: "give up after N attempts (100)" },
  delay: { value: "TIME", help: "pause between attempts (1s); longer after fast failures" },
  "child-wait": { value: "TIME", help: "once done, wait this long for children (300s)" },
  "resume-session": { help: "go on in the same conversation instead of a new one" },
  ...timeOption,
  ...shared,
} as const satisfies Record<string, OptionSpec>;

type Values = CommandInput<typeof options>["values"];

export default command({
  name: "loop",
  summary: "Run an agent again and again until the task is done.",
  usage: "cox loop [options] [PROMPT]",
  options,
  examples: ['cox loop --until done --max-attempts 20 "work through TODO.md; touch DONE when it is empty"'],
  async run({ values, positionals }, context) {
    const limits = limitsOf(values);
    const policy = policyOf(values, limits);
    const home = homeAt(homePath(context.env));
    const asked = await requestOf(values, positionals, context);
    const { request: decided, notices } = await decideRequest(asked, context, new Settings(home.root));
    const terms = { policy, limits, notices };
    return inTask(decided, home.root, (request) => loop(request, terms, values, context));
  },
});

interface LoopTerms {
  policy: LoopPolicy;
  limits: BudgetLimits | undefined;
  /** Said once nothing more can be refused. */
  notices: readonly string[];
}

async function loop(
  request: DecidedRequest,
  { policy, limits, notices }: LoopTerms,
  values: Values,
  context: Context,
): Promise<number> {
  const home = homeAt(homePath(context.env));
  const { where } = request;
  const stop = new AbortController();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let killedBy: (typeof signals)[number] | undefined;
  for (const signal of signals) {
    process.on(signal, () => {
      killedBy ??= signal;
      stop.abort();
    });
  }
  const began = context.clock.now();
  let hasWork = false;
  const task = wordsOf(request.what.prompt);
  const say = (text: string) => context.stderr.write(`cox loop: ${text}\n`);
  const doneFolders = new Set([taskFolder(home, where.project, where.task)]);
  const result = await runLoop({
    policy,
    prompt: task,
    resumeSession: values["resume-session"] === true,
    doneFolders,
    clock: context.clock,
    random: Math.random,
    signal: stop.signal,
    say,
    async attempt({ number, prompt, previousRunId, resume, spent }): Promise<AttemptResult> {
      say(`attempt ${number} of ${policy.maxAttempts}`);
      const attempt: DecidedRequest = {
        ...request,
        what: {
          ...request.what,
          prompt: [{ type: "text", text: prompt }],
          title: task, // in lists every attempt is called after the work, not after what attempts are told
          looped: true,
        },
        limits: { ...request.limits, budget: limits && { of: "this loop", limits, spent } },
        lineage: { ...request.lineage, previous: previousRunId, conversation: resume },
      };
      const settings = new Settings(home.root); // whatever was mended since the last attempt holds for this one
      const spec = await prepareRun(attempt, context, settings);
      doneFolders.add(spec.plan.cwd);
      if (number === 1) for (const notice of notices) context.stderr.write(`${notice}\n`);
      if (number === 1 && policy.until !== "success")
        say(`a new file DONE ends it, in ${[...doneFolders].join(" or ")}`);
      const { usedTools, ...result } = await foregroundRun(spec, values, context);
      const changed = usedTools && (await hasChanged(home.root, result.info));
      hasWork ||= changed;
      return { ...result, changed };
    },
  });
  if (result.last !== undefined) {
    const outcome = { done: "completed", failed: "failed", stopped: "stopped" } as const;
    const at = { project: where.project, task: where.task, run: result.last.run_id };
    const { review } = request.what;
    const to = stateAfter(outcome[result.outcome], review === "changes" ? hasWork : review === true);
    postTaskChange(home, at, { to, cause: "complete", reason: result.why }, context.clock.now());
  }
  say(`${result.outcome} after ${result.attempts} attempts: ${result.why}`);
  await tellLoopEnd(result, began, context);
  if (result.outcome === "done" && result.last !== undefined) {
    const limitMs = parseDuration("--child-wait", values["child-wait"] ?? "300s");
    const left = await waitForDescendants(home, result.last.run_id, limitMs, context.clock, stop.signal);
    if (left.length > 0) say(`gave up waiting for children: ${left.map(runName).join(", ")} still run`);
    return left.length > 0 ? 1 : 0;
  }
  if (killedBy !== undefined) return exitOf(null, killedBy).code;
  return result.outcome === "done" ? 0 : Math.max(result.last?.exit_code ?? 1, 1);
}

function policyOf(values: Readonly<Record<string, unknown>>, limits: BudgetLimits | undefined): LoopPolicy {
  const text = (name: string) => (typeof values[name] === "string" ? values[name] : undefined);
  const until = text("until") ?? "either";
  if (until !== "either" && until !== "success" && until !== "done") {
    throw new AppError("usage.invalid", `--until ${until}: unknown; choose either, success or done`);
  }
  return {
    ...limits,
    until,
    maxAttempts: count("--max-attempts", text("max-attempts")) ?? 100,
    delayMs: parseDuration("--delay", text("delay") ?? "1s"),
  };
}
