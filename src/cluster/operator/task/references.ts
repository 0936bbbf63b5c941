import type { AgentConfigSpec } from "../../../contract/resources/agent-config.ts";
import { LABELS } from "../../../contract/resources/names.ts";
import type { TaskSpec } from "../../../contract/resources/task.ts";
import type { WorkspaceSpec } from "../../../contract/resources/workspace.ts";
import { type MergedConfig, mergeConfigs } from "../agent-config/merge.ts";
import { disallowed } from "../allow/disallowed.ts";
import type { OperatorOptions } from "../options.ts";
import { SSH_KEY, TOKEN_KEY, type WorkspaceSecret } from "../workspace/checkout.ts";
import { claimNeeds, type Need, secretNeeds } from "./needs.ts";
import type { Problem } from "./plan/view.ts";

/** Whether its owner marked it as something that Tasks may use. */
export interface FoundClaim {
  usable: boolean;
}

export interface FoundSecret extends FoundClaim {
  /** Never the values. */
  keys: readonly string[];
}

/** What a Task names, as it was found: `undefined` where there is nothing of that name. */
export interface Found {
  workspace: WorkspaceSpec | undefined;
  configs: ReadonlyMap<string, AgentConfigSpec | undefined>;
  secrets: ReadonlyMap<string, FoundSecret | undefined>;
  claims: ReadonlyMap<string, FoundClaim | undefined>;
  /** Values of ConfigMaps that MCP servers name, as `name/key`. */
  configValues: ReadonlyMap<string, string>;
}

/** The same, all there. */
export interface References {
  workspace: WorkspaceSpec | undefined;
  workspaceSecret: WorkspaceSecret;
  config: MergedConfig;
  /** The keys of each Secret that the pod may have. */
  secrets: ReadonlyMap<string, readonly string[]>;
  configValues: ReadonlyMap<string, string>;
}

export const configNames = ({ agentConfigRef, agentConfigRefs }: TaskSpec): string[] =>
  [...(agentConfigRef ? [agentConfigRef] : []), ...(agentConfigRefs ?? [])].map(({ name }) => name);

/** Everything there, or what is missing by name. Nothing is started with half of it. */
export function resolveReferences(spec: TaskSpec, found: Found, options: OperatorOptions): References | Problem[] {
  const problems: Problem[] = disallowed(spec, options);
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
  for (const need of secretNeeds(spec, found.workspace, config)) {
    const secret = usable("Secret", need, found.secrets.get(need.name), missing);
    if (secret === undefined) continue;
    const { name, anyOf, field, optional } = need;
    secrets.set(name, secret.keys);
    if (!optional && anyOf.length > 0 && !anyOf.some((key) => secret.keys.includes(key))) {
      missing("SecretKeyNotFound", `Secret ${name} (for ${field}) has no key ${anyOf.join(" or ")}`);
    }
  }
  for (const need of claimNeeds(spec)) usable("PersistentVolumeClaim", need, found.claims.get(need.name), missing);
  if (problems.length > 0) return problems;
  const keys = found.workspace?.secretRef && secrets.get(found.workspace.secretRef.name);
  const workspaceSecret = keys?.includes(TOKEN_KEY) ? "token" : keys?.includes(SSH_KEY) ? "ssh" : undefined;
  return { workspace: found.workspace, workspaceSecret, config, secrets, configValues: found.configValues };
}

/**
 * Whoever may create Tasks need not be one who may read Secrets, so a Secret says itself whether they may use it. Only who may
 * change it can say so, and they can read it anyway. Of one that isn't marked nothing is told, not even its keys.
 */
function usable<T extends FoundClaim>(
  kind: "Secret" | "PersistentVolumeClaim",
  { name, field, optional }: Need,
  thing: T | undefined,
  missing: (reason: string, message: string) => void,
): T | undefined {
  if (thing?.usable) return thing;
  if (thing === undefined && !optional) missing(`${kind}NotFound`, `${kind} ${name} (for ${field}) does not exist`);
  if (thing !== undefined) {
    const label = `kubectl label ${kind.toLowerCase()} ${name} ${LABELS.usable}=true`;
    missing(
      `${kind}NotUsable`,
      `${kind} ${name} (for ${field}) is not marked as usable by Tasks; ask its owner for: ${label}`,
    );
  }
  return undefined;
}
