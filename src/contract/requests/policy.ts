import type { AgentOp } from "../agent-socket.ts";
import type { Rule as ApiRule } from "../api/requests.ts";
import { AppError } from "../errors.ts";
import type { EventOf, PermissionOption, ToolKind } from "../events.ts";
import type { OpenRequest } from "../sessions/transcript.ts";

export const permissionModes = ["ask", "allow", "deny"] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** Who decides on permissions when no person has yet. */
export interface Policy {
  default: PermissionMode;
  /** Per kind of tool, over the default. */
  kinds?: Partial<Record<ToolKind, PermissionMode>>;
  /** Why nobody can be asked, if so: then an ask is a denial with this reason, never a hang. */
  unattended?: Unattended;
  /** The run gives its agent tools of its own. Without them whatever bears their names is somebody else's. */
  ownTools?: boolean;
}

/** In one sentence, or in one for each: what helps with a permission doesn't with a question. */
export type Unattended = string | { permission: string; question: string };

const whyNobody = (unattended: Unattended, asked: "permission" | "question"): string =>
  typeof unattended === "string" ? unattended : unattended[asked];

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

/** A decision that a person stored: for exactly this action, in this project and of this agent, or of any ("" means all). */
export type Rule = ApiRule;
export type RuleDraft = Pick<Rule, "decision" | "kind" | "match" | "project" | "agent">;

/** Where a request comes from: rules are about a project and an agent, and mean commands in the workspace itself. */
export interface AskedIn {
  project: string;
  agent: string;
  workspace: string;
}

export type Decision =
  | { do: "ask" }
  /** `rule`: the id of the one that decided. */
  | { do: "choose"; optionId: string; reason?: string; rule?: string }
  | { do: "decline"; reason: string; rule?: string };

/** A stored no stands above everything, a stored yes below what this run was told to deny. */
export function decide(
  policy: Policy,
  request: EventOf<"permission_request">,
  rules: readonly Pick<Rule, "id" | "decision">[] = [],
): Decision {
  if (policy.ownTools && allowedAnyway.has(request.toolName ?? "")) {
    const chosen = choose(request.permissionOptions, ["allow_once", "allow_always"]);
    if (chosen !== undefined) return { ...chosen, reason: "a tool of the run itself" };
  }
  const denied = rules.find((rule) => rule.decision === "deny");
  if (denied !== undefined) {
    return { ...deny(request.permissionOptions, `a rule denies it (${denied.id})`), rule: denied.id };
  }
  const mode = policy.kinds?.[request.actionType] ?? policy.default;
  const allowed = mode === "deny" ? undefined : rules.find((rule) => rule.decision === "allow");
  const chosen = allowed && choose(request.permissionOptions, ["allow_once", "allow_always"]);
  if (allowed !== undefined && chosen !== undefined) {
    return { ...chosen, reason: `a rule allows it (${allowed.id})`, rule: allowed.id };
  }
  if (mode === "allow") return choose(request.permissionOptions, ["allow_once", "allow_always"]) ?? { do: "ask" };
  if (mode === "deny") return deny(request.permissionOptions, "the policy of this run denies it");
  return policy.unattended === undefined
    ? { do: "ask" }
    : deny(request.permissionOptions, whyNobody(policy.unattended, "permission"));
}

/** Questions can't be allowed or denied: someone answers, or nobody can. */
export function decideQuestion(policy: Policy): Decision {
  return policy.unattended === undefined
    ? { do: "ask" }
    : { do: "decline", reason: whyNobody(policy.unattended, "question") };
}

/**
 * The rules that are about this request. An action is the same only if it is the same to the letter: whatever is added to a
 * command makes it another one.
 */
export function rulesFor(
  rules: readonly Rule[],
  request: EventOf<"permission_request">,
  { project, agent, workspace }: AskedIn,
): Rule[] {
  const match = matchOf(request, workspace);
  return rules.filter(
    (rule) =>
      rule.kind === request.actionType &&
      rule.match === match &&
      (rule.project === "" || rule.project === project) &&
      (rule.agent === "" || rule.agent === agent),
  );
}

/**
 * What a rule for the same action would say; `undefined` where an action can't be told exactly: several files at once, a command
 * somewhere else than in the workspace, or nothing but a title.
 */
export function matchOf({ actionDetails }: EventOf<"permission_request">, workspace: string): string | undefined {
  const { command, cwd, paths, url } = actionDetails;
  if (command !== undefined) return command !== "" && (cwd === undefined || cwd === workspace) ? command : undefined;
  if (url !== undefined) return url || undefined;
  return paths?.length === 1 ? paths[0] || undefined : undefined;
}

/** What "always" stores, but for the decision: the same action in this project, of any agent. */
export function ruleFor(
  request: EventOf<"permission_request">,
  { project, workspace }: Pick<AskedIn, "project" | "workspace">,
): Omit<RuleDraft, "decision"> | undefined {
  const match = matchOf(request, workspace);
  return match === undefined ? undefined : { kind: request.actionType, match, project, agent: "" };
}

/** Whether "always" can be a rule. */
export const canRemember = (request: OpenRequest, workspace: string): boolean =>
  request.type === "permission_request" && matchOf(request, workspace) !== undefined;

function deny(options: readonly PermissionOption[], reason: string) {
  const chosen = choose(options, ["reject_once", "reject_always"]);
  return chosen === undefined ? ({ do: "decline", reason } as const) : { ...chosen, reason };
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

export function requirePermissionMode(word: string): PermissionMode {
  const mode = permissionModes.find((candidate) => candidate === word);
  if (mode !== undefined) return mode;
  throw new AppError("usage.invalid", `permissions ${word}: unknown; choose ask, allow or deny`);
}
