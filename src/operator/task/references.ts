import type { AgentConfigSpec } from "../../contract/resources/agent-config.ts";
import { credentialVariable, isBundledAgentType } from "../../contract/resources/agent-types.ts";
import type { TaskSpec } from "../../contract/resources/task.ts";
import type { WorkspaceSpec } from "../../contract/resources/workspace.ts";
import { mcpSecretNames } from "../agent-config/mcp.ts";
import { type MergedConfig, mergeConfigs } from "../agent-config/merge.ts";
import type { OperatorOptions } from "../options.ts";
import { SSH_KEY, TOKEN_KEY, type WorkspaceSecret } from "../workspace/checkout.ts";
import type { Problem } from "./view.ts";

/** What a Task names, as it was found: `undefined` where there is nothing of that name. */
export interface Found {
  workspace: WorkspaceSpec | undefined;
  configs: ReadonlyMap<string, AgentConfigSpec | undefined>;
  /** The keys of each Secret; never their values. */
  secrets: ReadonlyMap<string, readonly string[] | undefined>;
  /** Values of ConfigMaps that MCP servers name, as `name/key`. */
  configValues: ReadonlyMap<string, string>;
}

/** The same, all there. */
export interface References {
  workspace: WorkspaceSpec | undefined;
  workspaceSecret: WorkspaceSecret;
  config: MergedConfig;
  secrets: ReadonlyMap<string, readonly string[]>;
  configValues: ReadonlyMap<string, string>;
}

export const configNames = ({ agentConfigRef, agentConfigRefs }: TaskSpec): string[] =>
  [...(agentConfigRef ? [agentConfigRef] : []), ...(agentConfigRefs ?? [])].map(({ name }) => name);

interface Need {
  name: string;
  /** One of these keys must be there; none: the Secret alone. */
  anyOf: readonly string[];
  what: string;
  optional: boolean;
}

/** Every Secret this Task needs, once its Workspace and AgentConfigs are known. */
export function secretNeeds(spec: TaskSpec, workspace: WorkspaceSpec | undefined, config: MergedConfig): Need[] {
  const needs: Need[] = [];
  const { credentials } = spec;
  const variable = credentialVariable(spec.type, credentials.type);
  if (credentials.secretRef !== undefined && variable !== undefined) {
    needs.push({ name: credentials.secretRef.name, anyOf: [variable], what: "credentials", optional: false });
  }
  if (workspace?.secretRef !== undefined) {
    needs.push({ name: workspace.secretRef.name, anyOf: [TOKEN_KEY, SSH_KEY], what: "the Workspace", optional: false });
  }
  for (const { name, key, optional } of mcpSecretNames(config.mcpServers)) {
    needs.push({ name, anyOf: key === undefined ? [] : [key], what: "an MCP server", optional });
  }
  return needs;
}

/** Everything there, or what is missing by name. Nothing is started with half of it. */
export function resolveReferences(spec: TaskSpec, found: Found, options: OperatorOptions): References | Problem[] {
  const denied = policyProblems(spec, options);
  const problems: Problem[] = [...denied];
  const missing = (reason: string, message: string) => problems.push({ reason, message, denied: false });
  if (spec.workspaceRef !== undefined && found.workspace === undefined) {
    missing("WorkspaceNotFound", `Workspace ${spec.workspaceRef.name} does not exist`);
  }
  const configs = configNames(spec).flatMap((name) => {
    const config = found.configs.get(name);
    if (config === undefined) missing("AgentConfigNotFound", `AgentConfig ${name} does not exist`);
    return config === undefined ? [] : [config];
  });
  const config = mergeConfigs(configs);
  const secrets = new Map<string, readonly string[]>();
  for (const { name, anyOf, what, optional } of secretNeeds(spec, found.workspace, config)) {
    const keys = found.secrets.get(name);
    if (keys !== undefined) secrets.set(name, keys);
    if (optional) continue;
    if (keys === undefined) missing("SecretNotFound", `Secret ${name} (for ${what}) does not exist`);
    else if (anyOf.length > 0 && !anyOf.some((key) => keys.includes(key))) {
      missing("SecretKeyNotFound", `Secret ${name} (for ${what}) has no key ${anyOf.join(" or ")}`);
    }
  }
  if (problems.length > 0) return problems;
  const keys = found.workspace?.secretRef && secrets.get(found.workspace.secretRef.name);
  const workspaceSecret = keys?.includes(TOKEN_KEY) ? "token" : keys?.includes(SSH_KEY) ? "ssh" : undefined;
  return { workspace: found.workspace, workspaceSecret, config, secrets, configValues: found.configValues };
}

/** What whoever installed the operator does not allow. */
function policyProblems(spec: TaskSpec, { images, allowedImages, allowedServiceAccounts }: OperatorOptions): Problem[] {
  const problems: Problem[] = [];
  const deny = (reason: string, message: string) => problems.push({ reason, message, denied: true });
  const image = spec.image ?? images[spec.type];
  if (image === undefined) {
    const known = isBundledAgentType(spec.type) ? "the operator was started without one" : "give it one in spec.image";
    deny("ImageUnknown", `there is no image for agent type ${spec.type}: ${known}`);
  } else if (
    spec.image !== undefined &&
    allowedImages !== undefined &&
    !allowedImages.some((prefix) => image.startsWith(prefix))
  ) {
    deny(
      "NotAllowed",
      `image ${image} is not allowed here; allowed are images that begin with ${allowedImages.join(", ") || "nothing"}`,
    );
  }
  const account = spec.podOverrides?.serviceAccountName;
  if (account !== undefined && !allowedServiceAccounts.includes(account)) {
    deny(
      "NotAllowed",
      `service account ${account} is not allowed here; allowed are ${allowedServiceAccounts.join(", ") || "none"}`,
    );
  }
  return problems;
}
