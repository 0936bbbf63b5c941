import { credentialVariable } from "../../../../contract/resources/agent-types.ts";
import { addedVariables, isReservedVariable } from "../../../../contract/resources/environment.ts";
import { PLUGIN_DIR, TOKEN_DIR } from "../../../../contract/resources/names.ts";
import type { TaskSpec } from "../../../../contract/resources/task.ts";
import type { WorkspaceSpec } from "../../../../contract/resources/workspace.ts";
import type { EnvEntry } from "../../../kube/objects.ts";
import { literal, sshVariables, TOKEN_KEY, type WorkspaceSecret } from "../../workspace/checkout.ts";
import { hostWithPort, isGitHubDotCom, providerOf } from "../../workspace/host.ts";

/** All that decides which variables an agent's container gets. */
export interface EnvironmentInput {
  name: string;
  namespace: string;
  spec: Pick<TaskSpec, "type" | "model" | "effort" | "branch" | "upstreamRepo" | "credentials" | "podOverrides">;
  /** The Task's own. */
  wished: readonly EnvEntry[];
  workspace: WorkspaceSpec | undefined;
  workspaceSecret: WorkspaceSecret;
  agentsMD: string;
  hasPlugins: boolean;
  /** Paths of what is too long to be a variable. */
  files: { prompt?: string; agentsMD?: string; mcp?: string };
  mcpJson: string | undefined;
  server: { url: string; tokenFile: string } | undefined;
}

/** The variables of the image interface, each exactly when its row says so, then the operator's own, then the Task's. */
export function agentEnvironment(input: EnvironmentInput): EnvEntry[] {
  const own = [...interfaceEntries(input), ...addedEntries(input)];
  const taken = new Set(own.map(({ name }) => name));
  return [...own, ...input.wished.filter(({ name }) => !taken.has(name) && !isReservedVariable(name))];
}

function interfaceEntries({
  spec,
  workspace,
  workspaceSecret,
  agentsMD,
  hasPlugins,
  files,
}: EnvironmentInput): EnvEntry[] {
  const { type, model, credentials } = spec;
  const entries: EnvEntry[] = [];
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== "") entries.push({ name, value: literal(value) });
  };
  const secret = (name: string, from: string | undefined, key: string) => {
    if (from !== undefined) entries.push({ name, valueFrom: { secretKeyRef: { name: from, key } } });
  };
  set("KELOS_MODEL", model);
  const variable = credentialVariable(type, credentials.type);
  if (variable !== undefined) secret(variable, credentials.secretRef?.name, variable);
  if (workspace !== undefined) {
    const onGitHub = providerOf(workspace) === "github";
    const isEnterprise = onGitHub && !isGitHubDotCom(workspace.repo);
    const from = workspaceSecret === "token" ? workspace.secretRef?.name : undefined;
    secret("GITHUB_TOKEN", from, TOKEN_KEY);
    if (onGitHub) secret(isEnterprise ? "GH_ENTERPRISE_TOKEN" : "GH_TOKEN", from, TOKEN_KEY);
    if (isEnterprise) set("GH_HOST", hostWithPort(workspace.repo));
    set("KELOS_BASE_BRANCH", workspace.ref);
  }
  set("KELOS_AGENT_TYPE", type);
  set(
    "KELOS_AGENTS_MD",
    files.agentsMD === undefined ? agentsMD : `Your instructions are in the file ${files.agentsMD}. Read it first.`,
  );
  if (hasPlugins) set("KELOS_PLUGIN_DIR", PLUGIN_DIR);
  return entries;
}

function addedEntries(input: EnvironmentInput): EnvEntry[] {
  const { name, namespace, spec, workspace, workspaceSecret, files, mcpJson, server } = input;
  const added = addedVariables;
  const values: Record<string, string | undefined> = {
    [added.taskName]: name,
    [added.taskNamespace]: namespace,
    [added.effort]: spec.effort,
    [added.branch]: spec.branch,
    [added.upstreamRepo]: spec.upstreamRepo ?? upstreamOf(workspace),
    [added.setupCommand]: workspace?.setupCommand && JSON.stringify(workspace.setupCommand),
    [added.promptFile]: files.prompt,
    [added.agentsMdFile]: files.agentsMD,
    [added.mcpServers]: files.mcp === undefined ? mcpJson : undefined,
    [added.mcpServersFile]: files.mcp,
    [added.tokenFile]: workspaceSecret === "token" ? `${TOKEN_DIR}/${TOKEN_KEY}` : undefined,
    [added.graceSeconds]: graceOf(spec.podOverrides?.terminationGracePeriodSeconds),
    [added.serverUrl]: server?.url,
    [added.serverTokenFile]: server?.tokenFile,
    ...sshVariables(workspaceSecret),
  };
  return Object.entries(values).flatMap(([key, value]) => (value ? [{ name: key, value: literal(value) }] : []));
}

/** Two thirds: an agent that uses up all of it leaves no time to say what it had. */
const graceOf = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : String(Math.floor((seconds * 2) / 3));

/** owner/repo of the remote called upstream. The name ends where the address does, dots and all. */
function upstreamOf(workspace: WorkspaceSpec | undefined): string | undefined {
  const url = workspace?.remotes?.find(({ name }) => name === "upstream")?.url;
  return url === undefined ? undefined : /[/:]([^/:]+\/[^/]+?)(?:\.git)?\/?$/.exec(url)?.[1];
}
