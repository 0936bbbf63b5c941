import type { AgentItem, agentRoutes, ProfileItem } from "../../../contract/api/agents.ts";
import { AppError } from "../../../contract/errors.ts";
import { type InspectedAgent, inspectAgents, probeEnvironment } from "../../../core/agents/discovery/inspect-agents.ts";
import { fixedModels, listModels, type ModelList } from "../../../core/agents/discovery/models.ts";
import { ProgramAnswers } from "../../../core/agents/discovery/program-answers.ts";
import { requireFitting } from "../../../core/agents/profiles/fitting-profile.ts";
import { profileKeys } from "../../../core/agents/profiles/profile.ts";
import {
  changeProfile,
  hasProfile,
  profileNames,
  readProfile,
  removeProfile,
} from "../../../core/agents/profiles/profile-files.ts";
import { withoutSecrets } from "../../../core/agents/profiles/shown-profile.ts";
import { displayName } from "../../../core/agents/registry/definition.ts";
import { loadRegistry, type Registry } from "../../../core/agents/registry/registry.ts";
import type { Handlers } from "../api/handlers.ts";
import type { ServerPorts } from "../ports.ts";

const PATIENCE_MS = 1500;

export function agentHandlers({ home, env, clock, agentTrials }: ServerPorts): Handlers<keyof typeof agentRoutes> {
  const lists = new ProgramAnswers<ModelList>();
  const modelsOf = ({ definition, found }: InspectedAgent) => {
    const ask = () => listModels(definition, probeEnvironment(definition, env));
    return found.program === undefined ? ask() : lists.about(found.program, definition.id, ask);
  };
  return {
    "GET /agents": async () => {
      const registry = await loadRegistry(home.root);
      const looked = await inspectAgents(registry.enabled, home.root, env);
      const items = looked.map(async (each) => {
        // Some take many seconds to say which models they have: the next look has them.
        const soon = clock.sleep(PATIENCE_MS).then(() => fixedModels(each.definition));
        return agentItem(registry, each, await Promise.race([modelsOf(each), soon]));
      });
      return { items: await Promise.all(items) };
    },
    "GET /agents/{agent}": async ({ params }) => {
      const registry = await loadRegistry(home.root);
      const [looked] = await inspectAgents([registry.find(params.agent)], home.root, env);
      if (looked === undefined) throw new AppError("agent.unknown", `agent ${params.agent}: unknown`);
      return agentItem(registry, looked, await modelsOf(looked));
    },
    "POST /agents/{agent}/test": async ({ params, body }) => {
      const { ok, text, durationMs } = await agentTrials.agent(params.agent, body.profile);
      return { ok, text, duration_ms: durationMs };
    },
    "GET /profiles": async () => ({
      items: await Promise.all(profileNames(home.root).map((name) => profileItem(home.root, name))),
    }),
    "GET /profiles/{profile}": async ({ params }) =>
      shown(params.profile, await readProfile(home.root, params.profile)),
    "PUT /profiles/{profile}": async ({ params: { profile: name }, body }) => {
      const before = hasProfile(home.root, name) ? await readProfile(home.root, name) : undefined;
      const changes = changesOf(body);
      const wanted = { ...before, ...changes };
      if (typeof wanted.agent !== "string") {
        throw new AppError("config.invalid", `profile ${name}: is new; say which agent it is for`);
      }
      requireFitting((await loadRegistry(home.root)).get(wanted.agent), wanted);
      return shown(name, await changeProfile(home.root, name, changes));
    },
    "DELETE /profiles/{profile}": ({ params }) => {
      removeProfile(home.root, params.profile);
      return undefined;
    },
    "POST /profiles/preview": ({ body }) => agentTrials.preview(body.agent, body.profile, body.workspace ?? home.root),
  };
}

function agentItem(registry: Registry, looked: InspectedAgent, { models }: ModelList): AgentItem {
  const { definition, found, version, profiles } = looked;
  const settings = Object.entries(definition.permission_settings).filter(([, { supported }]) => supported);
  return {
    id: definition.id,
    name: displayName(definition),
    protocol: definition.protocol,
    installed: found.state === "installed",
    version: version ?? "",
    program: found.program ?? "",
    login: { state: found.login.state, how: found.login.by || undefined },
    hint: found.remedy || undefined,
    models: models.map(({ id, name }) => ({ value: id, label: name || id })),
    default_model: found.profile.model,
    default_profile: profiles[0] ?? definition.id,
    permission_settings: settings.map(([id, { label, description, default: on }]) => ({
      id,
      label: label || id,
      description: description || undefined,
      default: on,
    })),
    source: registry.originOf(definition.id) === "built-in" ? "built-in" : "yours",
  };
}

/** A broken profile is listed with what is wrong with it. */
async function profileItem(home: string, name: string): Promise<ProfileItem> {
  try {
    return shown(name, await readProfile(home, name));
  } catch (error) {
    if (error instanceof AppError) return { name, profile: {}, problem: error.message };
    throw error;
  }
}

const shown = (name: string, profile: Parameters<typeof withoutSecrets>[0]): ProfileItem => ({
  name,
  profile: { ...withoutSecrets(profile) },
});

/** `null` removes a key. What is unknown is said, not kept. */
function changesOf(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const unknown = Object.keys(body).find((key) => !profileKeys.includes(key));
  if (unknown !== undefined) {
    throw new AppError("config.invalid", `profile: unknown key ${unknown}; choose of ${profileKeys.join(", ")}`);
  }
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, value ?? undefined]));
}
