import { changeProfile } from "../../src/core/agents/profiles/profile-files.ts";
import { prepareRun } from "../../src/core/launch/run-request.ts";
import type { RunSpec } from "../../src/core/runner/run.ts";
import { systemClock } from "../../src/lib/base/clock.ts";
import { root } from "../support/cox.ts";
import type { Wishes } from "./subject.ts";

export interface Place {
  coxHome: string;
  workspace: string;
  env: NodeJS.ProcessEnv;
}

/** A run takes no longer, so nothing in a test waits for ever. */
const LIMIT_MS = 90_000;

/** Our own patience, where it is the point; codex alone needs 25 s to give up on a server that fails. */
function deadlines({ server }: Wishes) {
  if (server === undefined) return {};
  const patience = server === 500 ? 40_000 : 8000;
  return { silence_deadline_ms: patience, network_deadline_ms: patience };
}

const PROFILE = "tested";
const fake = { command: process.execPath, args: [`${root}/test/fakes/mcp-stdio.mjs`] };

/** A run as the command line makes it: by a profile, the registry and what is found on the PATH. */
export async function prepared(
  { coxHome, workspace, env }: Place,
  profile: Readonly<Record<string, unknown>> & { agent: string },
  wishes: Wishes,
): Promise<RunSpec> {
  await changeProfile(coxHome, PROFILE, { ...profile, mcp_servers: wishes.mcp ? { fake } : {} });
  const resume = wishes.resume && {
    resume: { sessionId: wishes.resume.session_id },
    previousRunId: wishes.resume.run_id,
  };
  const request = {
    home: coxHome,
    project: "p",
    task: "t",
    agent: profile.agent,
    profile: PROFILE,
    workspace,
    prompt: [],
    mode: "interactive" as const,
    permissions: wishes.permissions ?? "ask",
    timeoutMs: LIMIT_MS,
    env: {},
    cleanEnv: false,
    preamble: false,
    by: "tester",
    ...resume,
  };
  const caller = wishes.missing ? { ...env, PATH: workspace } : env;
  const spec = await prepareRun(request, caller, systemClock);
  return { ...spec, plan: { ...spec.plan, config: { ...spec.plan.config, ...deadlines(wishes) } } };
}
