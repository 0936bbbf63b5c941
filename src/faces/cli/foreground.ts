import type { EventOf } from "../../contract/events.ts";
import { exitCodeOfRun } from "../../contract/runs/ending.ts";
import type { DecidedRequest, RunRequest } from "../../contract/runs/request.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { decideRequest } from "../../core/launch/decide-request.ts";
import { hostRun } from "../../core/launch/host-run.ts";
import { neighboursOf } from "../../core/launch/neighbours.ts";
import { type PreparedRun, prepareRun } from "../../core/launch/prepare-run.ts";
import { Settings } from "../../core/launch/settings.ts";
import { runWithFallback } from "../../core/launch/who/fallback.ts";
import type { Run } from "../../core/runner/run-spec.ts";
import { Blobs } from "../../core/store/blobs.ts";
import { homeAt, homePath } from "../../core/store/home.ts";
import type { Context } from "../../lib/command/command.ts";
import { styleFor } from "../../lib/command/style.ts";
import { CtrlC } from "./view/ctrl-c.ts";
import { createView, type LiveView } from "./view/index.ts";

interface Wishes {
  json?: boolean;
  quiet?: boolean;
  interactive?: boolean;
}

/** One process that is the host and shows the run: it ends with its terminal, its pipe or its group, and so does the run. */
export async function foreground(request: RunRequest, wishes: Wishes, context: Context): Promise<number> {
  const settings = new Settings(homePath(context.env));
  const { request: decided, notices } = await decideRequest(request, context, settings);
  const untold = [...notices];
  const run = async (next: DecidedRequest) => {
    const spec = await prepareRun(next, context, settings);
    for (const notice of untold.splice(0)) context.stderr.write(`${notice}\n`); // nothing is "used" that is refused
    return (await foregroundRun(spec, wishes, context)).info;
  };
  const home = homeAt(settings.home);
  const info = await runWithFallback(decided, home, run, (text) => context.stderr.write(`cox: ${text}\n`));
  return exitCodeOfRun(info);
}

export interface ForegroundRun {
  info: RunInfo;
  /** The last thing the agent said about its limits. */
  rateLimit?: EventOf<"rate_limit">;
  usedTools: boolean;
}

export async function foregroundRun(spec: PreparedRun, wishes: Wishes, context: Context): Promise<ForegroundRun> {
  for (const warning of neighboursOf(spec)) context.stderr.write(`${warning}\n`);
  const shown = new ShownRun(spec, wishes, context);
  try {
    const { done } = await hostRun(spec, (run) => shown.meet(run));
    const info = await done;
    shown.finish(info);
    return { info, rateLimit: shown.rateLimit, usedTools: shown.usedTools };
  } finally {
    shown.close();
  }
}

/** A run as it is seen in the process that is its host, from its first event on. */
class ShownRun {
  rateLimit: EventOf<"rate_limit"> | undefined;
  usedTools = false;
  readonly #spec: PreparedRun;
  readonly #wishes: Wishes;
  readonly #context: Context;
  #view: LiveView | undefined;
  #signals: { end(): void } | undefined;

  constructor(spec: PreparedRun, wishes: Wishes, context: Context) {
    this.#spec = spec;
    this.#wishes = wishes;
    this.#context = context;
  }

  meet(run: Run): void {
    const { plan, lineage, config } = this.#spec;
    const signals = followSignals(run);
    const view = createView({
      context: this.#context,
      style: styleFor(this.#wishes, this.#context),
      interactive: this.#wishes.interactive === true,
      header: { run_id: run.runId, handle: run.handle, agent: plan.agent, model: plan.modelName, cwd: plan.cwd },
      send: (command) => run.send({ ...command, by: lineage.by }),
      readBody: (body) => new Blobs(run.paths.blobs).text(body),
      onInterruptKey: signals.interrupt,
      interruptKey: signals.next,
      onEnd: () => run.stop({ by: "stop" }),
      thinking: config["view.thinking"],
      color: config.color,
    });
    this.#signals = signals;
    this.#view = view;
    this.#context.onOutputGone(() => run.stop({ by: "stop", signal: "SIGTERM" }));
    run.watch((events) => {
      view.show(events);
      this.usedTools ||= events.some((event) => event.type === "tool_call");
      this.rateLimit = events.findLast((event) => event.type === "rate_limit") ?? this.rateLimit;
    });
  }

  finish(info: RunInfo): void {
    this.#view?.finish(info);
  }

  close(): void {
    this.#view?.close();
    this.#signals?.end();
  }
}

function followSignals(run: Run) {
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
