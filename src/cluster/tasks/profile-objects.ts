import { slug } from "../../contract/ids.ts";
import { credentialVariable } from "../../contract/resources/agent-types.ts";
import { API_VERSION } from "../../contract/resources/names.ts";
import type { EnvVar } from "../../contract/resources/pod-overrides.ts";
import type { McpServer } from "../../contract/runs/mcp-server.ts";
import type { OpenedProfile } from "../../core/agents/profiles/secrets.ts";
import { agentConfigs, secrets } from "../kube/resource.ts";
import type { Creation } from "./create-object.ts";
import { secretOf } from "./secret.ts";
import type { Credentials } from "./task-spec.ts";

/** A person's profile as objects of a cluster: what is secret in it goes into Secrets, and only their names into the Task. */
export interface ProfileObjects {
  creations: Creation[];
  credentials: Credentials | undefined;
  env: EnvVar[];
  agentConfig: string | undefined;
}

export function profileObjects(
  profile: string,
  { wishes, mcpServers }: OpenedProfile,
  type: string,
  namespace: string,
): ProfileObjects {
  const name = `cox-profile-${slug(profile)}`;
  const { token, env = {} } = wishes;
  // Claude's accounts have tokens that begin so; all else is a key.
  const kind = token?.startsWith("sk-ant-oat") ? ("oauth" as const) : ("api-key" as const);
  const variable = credentialVariable(type, kind) ?? "";
  const values = { ...env, ...(token === undefined ? {} : { [variable]: token }) };
  const creations: Creation[] = [];
  const keep = (secret: string, data: Record<string, string>) =>
    creations.push({ resource: secrets, object: secretOf(secret, namespace, data) });
  if (Object.keys(values).length > 0) keep(name, values);
  const servers = mcpServers.map((server) =>
    serverOf(server, (data) => keep(`${name}-mcp-${slug(server.name)}`, data), name),
  );
  if (servers.length > 0) {
    const object = {
      apiVersion: API_VERSION,
      kind: "AgentConfig",
      metadata: { name, namespace },
      ...{ spec: { mcpServers: servers } },
    };
    creations.push({ resource: agentConfigs, object });
  }
  return {
    creations,
    credentials: token === undefined ? undefined : { type: kind, secretRef: { name } },
    env: Object.keys(env).map((key) => ({ name: key, valueFrom: { secretKeyRef: { name, key } } })),
    agentConfig: servers.length > 0 ? name : undefined,
  };
}

/** Variables and headers are where tokens are, so all of them are kept as a Secret. */
function serverOf(
  { name, transport }: McpServer,
  keep: (data: Record<string, string>) => void,
  profile: string,
): object {
  const secret = { secretRef: { name: `${profile}-mcp-${slug(name)}` } };
  const kept = transport.type === "stdio" ? transport.env : transport.headers;
  const isKept = Object.keys(kept).length > 0;
  if (isKept) keep(kept);
  if (transport.type === "stdio") {
    const { command, args, type } = transport;
    return { name, type, command, args, ...(isKept ? { envFrom: secret } : {}) };
  }
  return { name, type: transport.type, url: transport.url, ...(isKept ? { headersFrom: secret } : {}) };
}
