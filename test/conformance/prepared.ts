import type { DecidedRequest } from "../../src/contract/runs/request.ts";
import { changeProfile } from "../../src/core/agents/profiles/profile-files.ts";
import { prepareRun } from "../../src/core/launch/prepare-run.ts";
import { Settings } from "../../src/core/launch/settings.ts";
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
  const request: DecidedRequest = {
    who: { agent: profile.agent, profile: PROFILE },
    what: { prompt: [], mode: "interactive", preamble: false },
    where: { project: "p", task: "t", workspace },
    limits: { permissions: wishes.permissions ?? "ask", timeoutMs: LIMIT_MS },
    lineage: {
      by: "tester",
      ...(wishes.resume && {
        previous: wishes.resume.run_id,
        conversation: { sessionId: wishes.resume.session_id },
      }),
    },
  };
  const caller = { ...env, COX_HOME: coxHome, ...(wishes.missing ? { PATH: workspace } : {}) };
  const spec = await prepareRun(request, { env: caller, clock: systemClock }, new Settings(coxHome));
  return { ...spec, plan: { ...spec.plan, config: { ...spec.plan.config, ...deadlines(wishes) } } };
}
