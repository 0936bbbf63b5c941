import { AppError } from "../../contract/errors.ts";
import { rulesFor } from "../../contract/requests/policy.ts";
import type { OpenSpec } from "../sessions/open.ts";
import type { Blobs } from "../store/blobs.ts";
import { readRules } from "../store/rules.ts";
import type { RunPaths } from "../store/runs/run-directory.ts";
import { environmentOf } from "./beginning/run-environment.ts";
import { rememberDecisions } from "./decisions.ts";
import { toolsOf } from "./own-tools.ts";
import type { RunSpec } from "./run-spec.ts";

/** What the conversation of a run is opened with, but for who listens to its process. */
export function openSpecOf(
  spec: RunSpec,
  run: { runId: string; paths: RunPaths; blobs: Blobs; preface: string | undefined },
): Omit<OpenSpec, "onProcess" | "onShrunk"> {
  const { runId, paths, blobs, preface } = run;
  const { home, where, plan, recall = "" } = spec;
  const socket = spec.agentSocket?.(runId);
  const askedIn = { project: where.project, agent: plan.agent, workspace: plan.cwd };
  return {
    plan,
    protocol: spec.protocol,
    executor: spec.executor,
    runId,
    callerEnv: spec.callerEnv,
    cleanEnv: where.cleanEnv === true,
    runEnv: { ...where.env, ...environmentOf(spec, { runId, paths }, socket) },
    stdoutPath: paths.stdout,
    stderrPath: paths.stderr,
    policy: spec.policy,
    rules: (request) => rulesFor(readRules(home), request, askedIn),
    resume: spec.lineage.conversation,
    remember: rememberDecisions(
      { home, run: runId, project: where.project, task: where.task, workspace: plan.cwd },
      spec.clock,
    ),
    mcpServers: plan.takesMcp ? spec.mcpServers : [],
    tools: toolsOf(spec, socket),
    clock: spec.clock,
    prices: spec.prices,
    preface,
    retold: recall !== "",
    readBlob: (sha256) => Promise.resolve(blobs.read(sha256)),
  };
}

/**
 * The same for an agent that doesn't have the conversation any more: it begins a new one, and is told what was said. `undefined`
 * when that is not what went wrong, or nobody can tell it.
 */
export function retoldSpec(spec: RunSpec, error: unknown): (RunSpec & { recall: string }) | undefined {
  const { lineage, retell, plan } = spec;
  const { conversation } = lineage;
  const isLost = error instanceof AppError && error.code === "run.not_resumable";
  if (!isLost || conversation === undefined || conversation.fork || plan.resume?.by !== "native") return undefined;
  const recall = retell?.();
  return recall === undefined
    ? undefined
    : { ...spec, lineage: { ...lineage, conversation: undefined }, plan: { ...plan, resume: undefined }, recall };
}
