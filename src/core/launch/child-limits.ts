import type { ChildLimits } from "../../contract/agent-socket.ts";
import type { Config } from "../config/config-keys.ts";

const defaults: ChildLimits = { depth: 5, live: 20, total: 100 };

export function childLimits(config: Config): ChildLimits {
  return {
    depth: config["children.depth"] ?? defaults.depth,
    live: config["children.live"] ?? defaults.live,
    total: config["children.total"] ?? defaults.total,
  };
}
