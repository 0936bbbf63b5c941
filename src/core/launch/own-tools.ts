import { join } from "node:path";
import { OWN_TOOLS } from "../../contract/requests/policy.ts";
import type { DecidedRequest } from "../../contract/runs/request.ts";
import type { Profile } from "../agents/profiles/profile.ts";
import type { ProtocolName } from "../agents/registry/definition.ts";
import type { RunSpec } from "../runner/run.ts";
import type { Place } from "./where/place.ts";

/** Whoever speaks one of these takes MCP servers. */
const carrying: ReadonlySet<ProtocolName> = new Set(["acp", "claude-code", "codex"]);

/** The run's own tools, unless somebody switched them off, or has a server of that name already. */
export function ownTools(
  what: Pick<DecidedRequest["what"], "tools">,
  own: Place["own"],
  profile: Profile | undefined,
  protocol: ProtocolName,
  servers: RunSpec["mcpServers"],
): RunSpec["tools"] {
  if (what.tools === false || profile?.tools === "off" || !carrying.has(protocol)) return undefined;
  if (servers.some(({ name }) => name === OWN_TOOLS)) return undefined;
  return { command: own.node, args: [join(own.package, "bin", "cox"), "mcp"] };
}
