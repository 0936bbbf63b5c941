import { AppError } from "../../../contract/errors.ts";
import type { PermissionMode, Policy } from "../../../contract/requests/policy.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { defaultModel } from "../../agents/discovery/models.ts";
import { hasProfile } from "../../agents/profiles/profile-files.ts";
import { policyOf } from "../../agents/profiles/profile-policy.ts";
import type { Settings } from "../settings.ts";

export interface ProfileChoice {
  /** Empty for the profile that every agent has without a file. */
  name: string;
  agent: string;
  model: string | undefined;
  permissions: PermissionMode | undefined;
  permissionKinds: Policy["kinds"];
}

/** The profile that was named, or that of the run which is resumed, unless another agent takes over. */
export async function profileFor(
  values: { profile?: string; agent?: string },
  earlier: RunInfo | undefined,
  settings: Settings,
): Promise<ProfileChoice | undefined> {
  const inherited = values.agent === undefined || values.agent === earlier?.agent ? earlier?.profile : undefined;
  const name = values.profile ?? inherited;
  if (name === undefined || name === "") return undefined;
  const choice = await choose(name, settings);
  if (values.agent === undefined || values.agent.toLowerCase() === choice.agent) return choice;
  throw new AppError(
    "usage.invalid",
    `--agent ${values.agent}: profile ${name} is for ${choice.agent}; give one of the two`,
  );
}

async function choose(name: string, settings: Settings): Promise<ProfileChoice> {
  const definition = (await settings.registry()).enabled.find(({ id }) => id === name);
  if (definition !== undefined && !hasProfile(settings.home, name)) {
    const model = defaultModel(definition);
    return { name: "", agent: name, model, permissions: undefined, permissionKinds: undefined };
  }
  const profile = await settings.profile(name);
  const policy = policyOf(profile);
  return {
    name,
    agent: profile.agent.toLowerCase(),
    model: profile.model,
    permissions: policy.default,
    permissionKinds: policy.kinds,
  };
}
