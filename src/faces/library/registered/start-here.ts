import { AppError } from "../../../contract/errors.ts";
import type { RunRequest, StartedRun, StartRun } from "../../../contract/runs/request.ts";
import { isKnownAgent } from "../../../core/agents/registry/known-agent.ts";
import { inRunOf, startDetached } from "../../../core/launch/detach.ts";
import { readInfo } from "../../../core/runs/run-access.ts";
import { homeAt, homePath } from "../../../core/store/home.ts";
import { findRun } from "../../../core/store/runs/find-run.ts";
import { systemClock as clock } from "../../../lib/base/clock.ts";
import type { RegisteredAgent, RegisteredAgents } from "./registered-agent.ts";

/** Runs of registered agents are hosted in this process, all others by hosts of their own. */
export function startWith(agents: RegisteredAgents, env: NodeJS.ProcessEnv): StartRun {
  for (const name of Object.keys(agents)) requireFreeName(name, homePath(env));
  return async (wanted) => {
    const request = inRunOf(env, wanted);
    const name = agentOf(request, env);
    const agent = name === undefined || !Object.hasOwn(agents, name) ? undefined : agents[name];
    return name === undefined || agent === undefined
      ? startDetached(request, env)
      : hostHere(name, agent, request, env);
  };
}

/** The one that is named, or that of the run it goes on from. A profile has an agent of its own. */
function agentOf({ who, lineage }: RunRequest, env: NodeJS.ProcessEnv): string | undefined {
  if (who.agent !== undefined || who.profile !== undefined) return who.agent?.toLowerCase();
  const earlier = lineage.resume?.run ?? lineage.fork?.run;
  return earlier === undefined ? undefined : readInfo(findRun(homeAt(homePath(env)), earlier)).agent;
}

async function hostHere(
  name: string,
  agent: RegisteredAgent,
  asked: RunRequest,
  env: NodeJS.ProcessEnv,
): Promise<StartedRun> {
  refuseWhatNeedsProcess(name, asked);
  // Only now: whoever imports the library pays for what it uses.
  const [{ completed }, { decideRequest }, { prepareRun }, { hostRun }, { inTask }, { Settings }, { protocolOf }] =
    await Promise.all([
      import("../../../core/agents/registry/definition.ts"),
      import("../../../core/launch/decide-request.ts"),
      import("../../../core/launch/prepare-run.ts"),
      import("../../../core/launch/host-run.ts"),
      import("../../../core/launch/in-task.ts"),
      import("../../../core/launch/settings.ts"),
      import("./registered-session.ts"),
    ]);
  const settings = new Settings(homePath(env));
  const { request, notices } = await decideRequest(asked, { env, clock }, settings);
  // Like a model behind an API it has no program, and is told its prompt alone.
  const definition = completed({ id: name, name, protocol: "rest" });
  const registered = { definition, protocol: protocolOf(agent) };
  return inTask(request, settings.home, async (next) => {
    const { run, done } = await hostRun(await prepareRun(next, { env, clock, registered }, settings));
    done.catch(() => {}); // its record is final all the same
    const { project, task } = next.where;
    return { runId: run.runId, handle: run.handle, project, task, agent: name, notices };
  });
}

function requireFreeName(name: string, home: string): void {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) {
    const message = `agent ${JSON.stringify(name)}: not a name; take 1 to 64 of a-z, 0-9, ".", "_", "-"`;
    throw new AppError("usage.invalid", message);
  }
  if (!isKnownAgent(home, name)) return;
  throw new AppError("usage.invalid", `agent ${name}: there is one of this name already; register yours by another`);
}

function refuseWhatNeedsProcess(name: string, { what, where }: RunRequest): void {
  const refuse = (wish: string, why: string) => {
    throw new AppError("usage.invalid", `${wish}: agent ${name} is code of this program, ${why}`);
  };
  if (where.on !== undefined && where.on !== "local") refuse(where.on, "and can't be started elsewhere");
  if (where.network === "off") refuse("network off", "and has whatever network that has");
  if (what.mcpServers !== undefined && what.mcpServers.length > 0) refuse("mcpServers", "and calls tools by itself");
}
