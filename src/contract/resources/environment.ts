import { credentialVariables } from "./agent-types.ts";

/**
 * The variables of an agent's container, by what sets them. The first group is the image interface's own table; images made
 * for it run unchanged. The second is what the operator adds: an image may ignore all of it.
 */
export const interfaceVariables = [
  "KELOS_MODEL",
  ...new Set(Object.values(credentialVariables).flatMap((byType) => Object.values(byType))),
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "GH_ENTERPRISE_TOKEN",
  "GH_HOST",
  "KELOS_AGENT_TYPE",
  "KELOS_BASE_BRANCH",
  "KELOS_AGENTS_MD",
  "KELOS_PLUGIN_DIR",
] as const;

export const addedVariables = {
  /** The Task's name and namespace. */
  taskName: "KELOS_TASK_NAME",
  taskNamespace: "KELOS_TASK_NAMESPACE",
  effort: "KELOS_EFFORT",
  branch: "KELOS_BRANCH",
  upstreamRepo: "KELOS_UPSTREAM_REPO",
  /** A command as a JSON array of its words. */
  setupCommand: "KELOS_SETUP_COMMAND",
  /** Path of the prompt, when it is too long for an argument. */
  promptFile: "KELOS_PROMPT_FILE",
  /** Path of the instructions, when they are too long for a variable. */
  agentsMdFile: "KELOS_AGENTS_MD_FILE",
  /**
   * `{"mcpServers": {name: {...}}}`. A value that comes from a Secret is written `${file:/kelos/mcp/<server>/<env|header>/<name>}`:
   * whoever starts the agent puts that file's content in its place, so that the Secret's value is in no spec.
   */
  mcpServers: "KELOS_MCP_SERVERS",
  /** Path of the same JSON, when it is too long for a variable. */
  mcpServersFile: "KELOS_MCP_SERVERS_FILE",
  /** The token as a file, which follows a rotated Secret. */
  tokenFile: "KELOS_GITHUB_TOKEN_FILE",
  /** What the agent has of the pod's grace, when a Task changes that; the rest is for the report. */
  graceSeconds: "COX_GRACE_SECONDS",
  /** A Coxswain server that keeps transcripts, and the file with the token for it. */
  serverUrl: "COX_SERVER_URL",
  serverTokenFile: "COX_SERVER_TOKEN_FILE",
} as const;

/** Names a Task can never set, whether this Task uses them or not. */
export const isReservedVariable = (name: string): boolean => name.startsWith("KELOS_") || name.startsWith("COX_");
