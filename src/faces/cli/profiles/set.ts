import { AppError } from "../../../contract/errors.ts";
import { wantsModel } from "../../../core/agents/launch/vendor.ts";
import { requireFitting } from "../../../core/agents/profiles/fitting-profile.ts";
import { changeProfile, hasProfile, readProfile } from "../../../core/agents/profiles/profile-files.ts";
import { loadRegistry } from "../../../core/agents/registry/registry.ts";
import type { Context } from "../../../lib/command/command.ts";
import type { ProfileChanges } from "./changes.ts";

/** `cox profile set`: what could never be started isn't kept either. */
export async function setProfile(
  home: string,
  name: string,
  { keys, env, switches }: ProfileChanges,
  { stderr }: Context,
): Promise<number> {
  const before = hasProfile(home, name) ? await readProfile(home, name) : undefined;
  const agent = keys.agent ?? before?.agent;
  if (agent === undefined) {
    throw new AppError("usage.invalid", `profile ${name}: is new; say which agent it is for with --agent`);
  }
  const changes: Record<string, unknown> = { ...keys };
  if (Object.keys(env).length > 0) changes.env = { ...before?.env, ...env };
  if (Object.keys(switches).length > 0) changes.switches = { ...before?.switches, ...switches };
  const definition = (await loadRegistry(home)).get(agent);
  const wanted: Record<string, unknown> = { ...before, ...changes };
  requireFitting(definition, wanted);
  await changeProfile(home, name, changes);
  const model = wantsModel(definition, { baseUrl: wanted.base_url, model: wanted.model }) ? " --model MODEL" : "";
  stderr.write(`kept profile ${name}; use it with: cox run --profile ${name}${model} …\n`);
  return 0;
}
