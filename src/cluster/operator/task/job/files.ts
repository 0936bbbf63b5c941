import { MAX_INLINE_BYTES, TASK_FILES_DIR } from "../../../../contract/resources/names.ts";
import type { McpPlan } from "../../agent-config/mcp.ts";
import { pluginFiles } from "../../agent-config/plugins.ts";
import { fileKey } from "../../workspace/checkout.ts";
import type { References } from "../references.ts";

/** A ConfigMap holds a megabyte at most. */
const MAX_FILES_BYTES = 1_000_000;

/** What travels as files because it may be long: the ConfigMap's data, and where the pod sees what. */
export interface TaskFiles {
  data: Record<string, string>;
  bytes: number;
  tooLarge: boolean;
  prompt?: string;
  agentsMD?: string;
  mcp?: string;
  /** Keys and paths below the plugin folder. */
  plugins: { key: string; path: string }[];
  /** Keys of the Workspace's files. */
  workspaceFiles: string[];
}

export function taskFiles(prompt: string, { config, workspace }: References, mcp: McpPlan | undefined): TaskFiles {
  const data: Record<string, string> = {};
  const asFile = (key: string, content: string | undefined) => {
    if (content === undefined || Buffer.byteLength(content) <= MAX_INLINE_BYTES) return undefined;
    data[key] = content;
    return `${TASK_FILES_DIR}/${key}`;
  };
  const paths = {
    prompt: asFile("prompt.md", prompt),
    agentsMD: asFile("agents.md", config.agentsMD),
    mcp: asFile("mcp.json", mcp?.json),
  };
  const plugins = pluginFiles(config.plugins);
  for (const { key, content } of plugins) data[key] = content;
  const workspaceFiles = (workspace?.files ?? []).map(({ content }, at) => {
    data[fileKey(at)] = content;
    return fileKey(at);
  });
  const bytes = Object.values(data).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return {
    ...{ data, bytes, tooLarge: bytes > MAX_FILES_BYTES, workspaceFiles },
    plugins: plugins.map(({ key, path }) => ({ key, path })),
    ...(paths.prompt === undefined ? {} : { prompt: paths.prompt }),
    ...(paths.agentsMD === undefined ? {} : { agentsMD: paths.agentsMD }),
    ...(paths.mcp === undefined ? {} : { mcp: paths.mcp }),
  };
}
