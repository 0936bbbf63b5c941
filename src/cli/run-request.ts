import { join } from "node:path";
import { planLaunch } from "../agents/launch.ts";
import { loadRegistry } from "../agents/registry.ts";
import type { Clock } from "../base/clock.ts";
import type { Content } from "../contract/events.ts";
import type { PermissionMode } from "../contract/policy.ts";
import type { RunInfo } from "../contract/run.ts";
import type { RunSpec } from "../runner/run.ts";
import { openHome } from "../store/home.ts";
import { packageRoot } from "./package-root.ts";

/** Everything a person wants of a run, as plain data: a detached host gets it on its stdin. */
export interface RunRequest {
  home: string;
  project: string;
  task: string;
  agent: string;
  profile: string;
  model?: string;
  workspace: string;
  prompt: Content[];
  mode: RunInfo["mode"];
  permissions: PermissionMode;
  unattended?: string;
  timeoutMs?: number;
  idleTimeoutMs?: number;
  env: Record<string, string>;
  cleanEnv: boolean;
  preamble: boolean;
  parentRunId?: string;
  previousRunId?: string;
  resume?: { sessionId: string };
  by: string;
}

/** From wishes to a run that can be started; whatever is wrong with them is said here, before anything is made. */
export function prepareRun(request: RunRequest, callerEnv: NodeJS.ProcessEnv, clock: Clock): RunSpec {
  const root = packageRoot();
  const plan = planLaunch({
    definition: loadRegistry().get(request.agent),
    workspace: request.workspace,
    model: request.model,
    permissions: request.permissions,
    own: { node: process.execPath, package: root },
  });
  return {
    home: openHome(request.home),
    project: request.project,
    task: request.task,
    plan,
    profile: request.profile,
    prompt: request.prompt,
    mode: request.mode,
    policy: { default: request.permissions, unattended: request.unattended },
    limits: { timeoutMs: request.timeoutMs ?? plan.timeoutMs, idleTimeoutMs: request.idleTimeoutMs },
    callerEnv,
    env: request.env,
    cleanEnv: request.cleanEnv,
    preamble: request.preamble,
    parentRunId: request.parentRunId,
    previousRunId: request.previousRunId,
    resume: request.resume,
    mcpServers: [],
    bin: join(root, "bin"),
    clock,
    by: request.by,
  };
}
