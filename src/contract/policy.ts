import type { AgentOp } from "./agent-socket.ts";
import type { EventOf, PermissionOption, ToolKind } from "./events.ts";

export const permissionModes = ["ask", "allow", "deny"] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** Who decides on permissions when no person has yet. */
export interface Policy {
  default: PermissionMode;
  /** Per kind of tool, over the default. */
  kinds?: Partial<Record<ToolKind, PermissionMode>>;
  /** Why nobody can be asked, if so: then an ask is a denial with this reason, never a hang. */
  unattended?: string;
  /** The run gives its agent tools of its own. Without them whatever bears their names is somebody else's. */
  ownTools?: boolean;
}

/** The MCP server with a run's own tools. */
export const OWN_TOOLS = "coxswain";

/** Those that only talk and look. Starting runs and making tasks goes by the policy, as anything else. */
export const harmlessTools: readonly AgentOp[] = [
  "bus_post",
  "bus_read",
  "ask_user",
  "wait_run",
  "run_status",
  "task_status",
];
const allowedAnyway: ReadonlySet<string> = new Set(harmlessTools.map((tool) => `mcp__${OWN_TOOLS}__${tool}`));

export type Decision =
  | { do: "ask" }
  | { do: "choose"; optionId: string; reason?: string }
  | { do: "decline"; reason: string };

export function decide(policy: Policy, request: EventOf<"permission_request">): Decision {
  if (policy.ownTools && allowedAnyway.has(request.toolName ?? "")) {
    const chosen = choose(request.permissionOptions, ["allow_once", "allow_always"]);
    if (chosen !== undefined) return { ...chosen, reason: "a tool of the run itself" };
  }
  const mode = policy.kinds?.[request.actionType] ?? policy.default;
  if (mode === "allow") return choose(request.permissionOptions, ["allow_once", "allow_always"]) ?? { do: "ask" };
  if (mode === "deny") return deny(request.permissionOptions, "the policy of this run denies it");
  return policy.unattended === undefined ? { do: "ask" } : deny(request.permissionOptions, policy.unattended);
}

/** Questions can't be allowed or denied: someone answers, or nobody can. */
export function decideQuestion(policy: Policy): Decision {
  return policy.unattended === undefined ? { do: "ask" } : { do: "decline", reason: policy.unattended };
}

function deny(options: readonly PermissionOption[], reason: string): Decision {
  const chosen = choose(options, ["reject_once", "reject_always"]);
  return chosen === undefined ? { do: "decline", reason } : { ...chosen, reason };
}

/** An option of a listed kind, in the order of the list; a rejecting option is never taken for an allowing one. */
function choose(options: readonly PermissionOption[], kinds: readonly PermissionOption["kind"][]) {
  for (const kind of kinds) {
    const option = options.find((candidate) => candidate.kind === kind);
    if (option !== undefined) return { do: "choose", optionId: option.id } as const;
  }
  return undefined;
}

/** What "always" remembers when the agent itself offers no such option: the same action, exactly. */
export function actionKey(request: EventOf<"permission_request">): string {
  const { command, paths, url } = request.actionDetails;
  return JSON.stringify([request.actionType, command ?? paths ?? url ?? request.permissionTitle]);
}
