import type { EventOf } from "../../contract/events.ts";
import { exitCodeOfRun } from "../../contract/runs/ending.ts";
import type { DecidedRequest, RunRequest } from "../../contract/runs/request.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { decideRequest } from "../../core/launch/decide-request.ts";
import { type HostedRun, hostRun } from "../../core/launch/host-run.ts";
import { neighboursOf } from "../../core/launch/neighbours.ts";
import { type PreparedRun, prepareRun } from "../../core/launch/prepare-run.ts";
import { Settings } from "../../core/launch/settings.ts";
import { runWithFallback } from "../../core/launch/who/fallback.ts";
import { Blobs } from "../../core/store/blobs.ts";
import { homeAt, homePath } from "../../core/store/home.ts";
import type { Context } from "../../lib/command/command.ts";
import { styleFor } from "../../lib/command/style.ts";
import { CtrlC } from "./view/ctrl-c.ts";
import { createView } from "./view/index.ts";

interface Wishes {
  json?: boolean;
  quiet?: boolean;
  interactive?: boolean;
}

/** One process that is the host and shows the run: it ends with its terminal, its pipe or its group, and so does the run. */
export async function foreground(request: RunRequest, wishes: Wishes, context: Context): Promise<number> {
  const settings = new Settings(homePath(context.env));
  const decided = await decideAloud(request, context, settings);
  const run = async (next: DecidedRequest) =>
    (await foregroundRun(await prepareRun(next, context, settings), wishes, context)).info;
  const home = homeAt(settings.home);
  const info = await runWithFallback(decided, home, run, (text) => context.stderr.write(`cox: ${text}\n`));
  return exitCodeOfRun(info);
}

/** What a person should know of it is said at once. */
export async function decideAloud(request: RunRequest, context: Context, settings: Settings): Promise<DecidedRequest> {
  const { request: decided, notices } = await decideRequest(request, context, settings);
  for (const notice of notices) context.stderr.write(`${notice}\n`);
  return decided;
}

export interface ForegroundRun {
  info: RunInfo;
  /** The last thing the agent said about its limits. */
  rateLimit?: EventOf<"rate_limit">;
  usedTools: boolean;
}

export async function foregroundRun(spec: PreparedRun, wishes: Wishes, context: Context): Promise<ForegroundRun> {
  for (const warning of neighboursOf(spec)) context.stderr.write(`${warning}\n`);
  const hosted = await hostRun(spec);
  const { run } = hosted;
  const signals = followSignals(hosted);
  context.onOutputGone(() => run.stop({ by: "stop", signal: "SIGTERM" }));
  const view = createView({
    context,
    style: styleFor(wishes, context),
    interactive: wishes.interactive === true,
    header: {
      runId: run.runId,
      agent: spec.plan.agent,
      model: spec.plan.modelName,
      cwd: spec.plan.cwd,
    },
    send: (command) => run.send({ ...command, by: spec.lineage.by }),
    readBody: (body) => new Blobs(run.paths.blobs).text(body),
    onInterruptKey: signals.interrupt,
    interruptKey: signals.next,
    onEnd: () => run.stop({ by: "stop" }),
    thinking: spec.config["view.thinking"],
    color: spec.config.color,
  });
  let rateLimit: EventOf<"rate_limit"> | undefined;
  let usedTools = false;
  run.watch((events) => {
    view.show(events);
    usedTools ||= events.some((event) => event.type === "tool_call");
    rateLimit = events.findLast((event) => event.type === "rate_limit") ?? rateLimit;
  });
  try {
    const info = await hosted.done;
    view.finish(info);
    return { info, rateLimit, usedTools };
  } finally {
    view.close();
    signals.end();
  }
}

function followSignals({ run }: HostedRun) {
  const ctrlC = new CtrlC((command) => run.send(command));
  const forget = run.watch((events) => ctrlC.saw(events));
  const terminate = () => ctrlC.stop("SIGTERM");
  process.on("SIGINT", ctrlC.press);
  process.on("SIGTERM", terminate);
  process.on("SIGHUP", terminate);
  return {
    interrupt: ctrlC.press,
    next: () => ctrlC.next(),
    end() {
      forget();
      process.off("SIGINT", ctrlC.press);
      process.off("SIGTERM", terminate);
      process.off("SIGHUP", terminate);
    },
  };
}
