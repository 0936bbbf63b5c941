/** The group, and the names everything on a cluster is found by. One place, because a renamed label orphans what carries it. */
export const GROUP = "coxswain.dev";
export const VERSION = "v1alpha1";
export const API_VERSION = `${GROUP}/${VERSION}`;

export const LABELS = {
  /** On everything made for a Task. */
  task: `${GROUP}/task`,
  attempt: `${GROUP}/attempt`,
  /** On a Secret or a claim, by its owner: "true" lets every Task of the namespace have it. */
  usable: `${GROUP}/usable-by-tasks`,
  managedBy: "app.kubernetes.io/managed-by",
} as const;
export const MANAGED_BY = "coxswain-operator";

/** The fields the operator owns in what it applies. */
export const FIELD_MANAGER = "coxswain-operator";

/** The user of every agent image, shared with whoever clones its workspace. */
export const AGENT_UID = 61100;

export const ENTRYPOINT = "/kelos_entrypoint.sh";
export const WORKSPACE_MOUNT = "/workspace";
export const REPO_PATH = "/workspace/repo";
export const PLUGIN_DIR = "/kelos/plugin";
/** Long prompts and instructions, as files. */
export const TASK_FILES_DIR = "/kelos/task";
export const TOKEN_DIR = "/kelos/github-token";
/** Secrets of MCP servers: `<server>/<env|header>/<name>`. */
export const MCP_SECRETS_DIR = "/kelos/mcp";

/**
 * One argument or variable of a process holds 128 KiB at most on Linux. What is longer than this goes into a file, and the
 * variable says which.
 */
export const MAX_INLINE_BYTES = 96 * 1024;
