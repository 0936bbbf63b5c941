import { type ChildLimits, defaultChildLimits } from "../../contract/agent-socket.ts";
import type { Config } from "../config/config-keys.ts";

export function childLimits(config: Config): ChildLimits {
  return {
    depth: config["children.depth"] ?? defaultChildLimits.depth,
    live: config["children.live"] ?? defaultChildLimits.live,
    total: config["children.total"] ?? defaultChildLimits.total,
  };
}
