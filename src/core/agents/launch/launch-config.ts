import type { z } from "zod";
import type { LaunchConfig as LaunchSchema } from "../registry/definition-schema.ts";

type LaunchEntry = z.infer<typeof LaunchSchema>;
type Optional = "token_env" | "provider";

/** How an agent's program wants to be told what every profile can say: `protocol_config.launch`. */
export type LaunchConfig = Required<Omit<LaunchEntry, Optional>> & Pick<LaunchEntry, Optional>;

/** Of an agent that says nothing of it. */
export const noLaunchConfig: LaunchConfig = {
  token_prefix_env: {},
  base_url_env: [],
  home_env: {},
  own_home_env: {},
  ask_env: {},
  isolated_env: {},
  isolated_config: {},
};
