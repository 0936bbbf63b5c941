import { z } from "zod";

const variables = z.record(z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of a variable"), z.string());

/**
 * `protocol_config.launch`: how this agent's program wants to be told what every profile can say. It is data, so that an
 * agent we never heard of can be described in agents.json as well.
 */
export const LaunchConfig = z.strictObject({
  /** Where a profile's token goes. */
  token_env: z.string().optional(),
  /** … unless it begins so: the vendor has several kinds of token. */
  token_prefix_env: z.record(z.string(), z.string()).default({}),
  /** Each gets the profile's base_url. */
  base_url_env: z.array(z.string()).default([]),
  /** A base_url needs a whole provider to be described, in the way of this agent. */
  provider: z.enum(["codex", "codex-acp", "opencode"]).optional(),
  /** Folders of a private home: `{dir}` is the home. Their names are passed on as the caller has them otherwise. */
  home_env: variables.default({}),
  /** Set where the caller has no such variable, because the agent would take it from a repository's `.env`. */
  own_home_env: variables.default({}),
  /** Makes the agent ask; not set when everything is approved anyway. */
  ask_env: variables.default({}),
  /** Only where nothing of the person's is within reach. */
  isolated_env: variables.default({}),
  /** Settings of the protocol, there: a fence of the agent's own inside ours is of no use, and often can't be built. */
  isolated_config: z.record(z.string(), z.unknown()).default({}),
});
export type LaunchConfig = z.infer<typeof LaunchConfig>;

export const noLaunchConfig: LaunchConfig = LaunchConfig.parse({});
