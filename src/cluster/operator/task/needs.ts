import { credentialVariable } from "../../../contract/resources/agent-types.ts";
import type { TaskSpec } from "../../../contract/resources/task.ts";
import type { WorkspaceSpec } from "../../../contract/resources/workspace.ts";
import { mcpSecretNames } from "../agent-config/mcp.ts";
import type { MergedConfig } from "../agent-config/merge.ts";
import { SSH_KEY, TOKEN_KEY } from "../workspace/checkout.ts";

/** Something of the namespace that a Task's pod would get to see. */
export interface Need {
  name: string;
  /** Which field asks for it. */
  field: string;
  optional: boolean;
}

export interface SecretNeed extends Need {
  /** One of these keys must be there; none: the Secret alone. */
  anyOf: readonly string[];
}

/**
 * Every Secret that would be in this Task's pod, once its Workspace and AgentConfigs are known. What isn't in this list is in no
 * pod: the Job is made of what was found by it.
 */
export function secretNeeds(spec: TaskSpec, workspace: WorkspaceSpec | undefined, config: MergedConfig): SecretNeed[] {
  const needs: SecretNeed[] = [];
  const need = (name: string, field: string, anyOf: readonly string[] = [], optional = false) =>
    needs.push({ name, field, anyOf, optional });
  const { credentials, podOverrides = {} } = spec;
  const variable = credentialVariable(spec.type, credentials.type);
  if (credentials.secretRef !== undefined && variable !== undefined) {
    need(credentials.secretRef.name, "spec.credentials.secretRef", [variable]);
  }
  if (workspace?.secretRef !== undefined) {
    need(workspace.secretRef.name, "the Workspace's spec.secretRef", [TOKEN_KEY, SSH_KEY]);
  }
  for (const { server, name, key, optional } of mcpSecretNames(config.mcpServers)) {
    need(name, `MCP server ${server} of its AgentConfig`, key === undefined ? [] : [key], optional);
  }
  for (const { name, valueFrom } of podOverrides.env ?? []) {
    const from = valueFrom?.secretKeyRef;
    if (from !== undefined) need(from.name, `spec.podOverrides.env ${name}`, [from.key], from.optional);
  }
  for (const { name, secret } of podOverrides.volumes ?? []) {
    if (secret === undefined) continue;
    need(secret.secretName, `spec.podOverrides.volumes ${name}`, [], secret.optional);
  }
  for (const { name } of podOverrides.imagePullSecrets ?? []) need(name, "spec.podOverrides.imagePullSecrets");
  return needs;
}

/** The same for what others have stored: a claim may hold a database. */
export const claimNeeds = ({ podOverrides }: TaskSpec): Need[] =>
  (podOverrides?.volumes ?? []).flatMap(({ name, persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [{ name: claim.claimName, field: `spec.podOverrides.volumes ${name}`, optional: false }],
  );
