import type { McpServer } from "../../../contract/resources/agent-config.ts";
import { MCP_SECRETS_DIR } from "../../../contract/resources/names.ts";

/** One value that stays in its Secret: which, and where the pod finds it as a file. */
export interface McpSecret {
  secret: string;
  key: string;
  /** Below the folder of MCP secrets. */
  path: string;
  optional: boolean;
}

/** One whose values come from a whole Secret: its keys are known only when the Secret is looked at. */
export type SecretKeys = ReadonlyMap<string, readonly string[]>;

export interface McpPlan {
  /** The JSON for the agent, with `${file:…}` where a secret goes. */
  json: string;
  secrets: McpSecret[];
}

/** Every Secret the servers name, for the look before anything is started. */
export function mcpSecretNames(
  servers: readonly McpServer[],
): { server: string; name: string; key?: string; optional: boolean }[] {
  return servers.flatMap(({ name: server, env, envFrom, headersFrom }) => [
    ...(env ?? []).flatMap(({ valueFrom }) => {
      const ref = valueFrom?.secretKeyRef;
      return ref === undefined ? [] : [{ server, name: ref.name, key: ref.key, optional: ref.optional === true }];
    }),
    ...[envFrom, headersFrom].flatMap((from) =>
      from === undefined ? [] : [{ server, name: from.secretRef.name, optional: false }],
    ),
  ]);
}

/**
 * The servers as agents take them. A secret's value is never in here: in its place stands the path of a file that only the
 * pod has, and what starts the agent there reads it.
 */
export function planMcp(
  servers: readonly McpServer[],
  keys: SecretKeys,
  configValues: ReadonlyMap<string, string>,
): McpPlan {
  const secrets: McpSecret[] = [];
  const reference = (path: string, secret: string, key: string, optional = false) => {
    secrets.push({ secret, key, path, optional });
    return `\${file:${MCP_SECRETS_DIR}/${path}}`;
  };
  const entries = servers.map((server, at): [string, object] => {
    const fromSecret = (kind: "env" | "header", secret: string | undefined) =>
      Object.fromEntries(
        (secret === undefined ? [] : (keys.get(secret) ?? [])).map((key) => [
          key,
          reference(`${at}/${kind}/${key}`, secret ?? "", key),
        ]),
      );
    const env = Object.fromEntries(
      (server.env ?? []).flatMap(({ name, value, valueFrom }): [string, string][] => {
        const { secretKeyRef: secret, configMapKeyRef: map } = valueFrom ?? {};
        if (secret !== undefined) {
          const isThere = keys.get(secret.name)?.includes(secret.key) === true;
          // An optional one that is missing is left out, as Kubernetes does it.
          return isThere ? [[name, reference(`${at}/env/${name}`, secret.name, secret.key)]] : [];
        }
        const text = map === undefined ? (value ?? "") : configValues.get(`${map.name}/${map.key}`);
        return text === undefined ? [] : [[name, text]];
      }),
    );
    const { name, type, command, args, url, headers, headersFrom, envFrom } = server;
    if (type === "stdio") {
      return [
        name,
        {
          type,
          command,
          ...(args ? { args } : {}),
          ...filled("env", { ...env, ...fromSecret("env", envFrom?.secretRef.name) }),
        },
      ];
    }
    return [
      name,
      { type, url, ...filled("headers", { ...headers, ...fromSecret("header", headersFrom?.secretRef.name) }) },
    ];
  });
  return { json: JSON.stringify({ mcpServers: Object.fromEntries(entries) }), secrets };
}

const filled = (name: string, record: Record<string, string>) =>
  Object.keys(record).length === 0 ? {} : { [name]: record };
