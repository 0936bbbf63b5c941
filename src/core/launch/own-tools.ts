import { join } from "node:path";
import { OWN_TOOLS } from "../../contract/requests/policy.ts";
import type { DecidedRequest } from "../../contract/runs/request.ts";
import type { LaunchPlan } from "../agents/launch/launch.ts";
import type { Profile } from "../agents/profiles/profile.ts";
import { takesTools } from "../agents/registry/protocols.ts";
import type { RunSpec } from "../runner/run.ts";
import type { Place } from "./where/place.ts";

/** The run's own tools, unless somebody switched them off, or has a server of that name already. */
export function ownTools(
  what: Pick<DecidedRequest["what"], "tools">,
  own: Place["own"],
  profile: Profile | undefined,
  plan: Pick<LaunchPlan, "protocol" | "takesMcp">,
  servers: RunSpec["mcpServers"],
): RunSpec["tools"] {
  if (what.tools === false || profile?.tools === "off") return undefined;
  if (!plan.takesMcp || !takesTools.has(plan.protocol)) return undefined;
  if (servers.some(({ name }) => name === OWN_TOOLS)) return undefined;
  return { command: own.node, args: [join(own.package, "bin", "cox"), "mcp"] };
}
