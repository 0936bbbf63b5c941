import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import { mcpServersIn } from "./mcp-servers.ts";

/** Skills and sub-agents that a plugin brings, as files. */
export interface Plugin {
  name: string;
  path: string;
  /** Folders in its `skills`, each with a SKILL.md. */
  skills: readonly string[];
  /** Names of the `.md` files in its `agents`. */
  agents: readonly string[];
}

/** What the pod's environment asks for. */
export interface ContainerTask {
  type: string;
  prompt: string;
  model?: string;
  effort?: string;
  instructions?: string;
  plugins: readonly Plugin[];
  mcpServers: readonly McpServer[];
  /** Word by word. */
  setupCommand?: readonly string[];
}

export function readTask(words: readonly string[], env: NodeJS.ProcessEnv): ContainerTask {
  const type = env.KELOS_AGENT_TYPE;
  if (!type) throw new AppError("usage.invalid", "KELOS_AGENT_TYPE: is not set; it says which agent to run");
  return {
    type,
    prompt: promptOf(words, env),
    model: env.KELOS_MODEL || undefined,
    effort: env.KELOS_EFFORT || undefined,
    instructions: textOrFile("KELOS_AGENTS_MD", env),
    plugins: env.KELOS_PLUGIN_DIR ? pluginsIn(env.KELOS_PLUGIN_DIR) : [],
    mcpServers: mcpServersIn(textOrFile("KELOS_MCP_SERVERS", env)),
    setupCommand: setupCommandIn(env.KELOS_SETUP_COMMAND),
  };
}

/** A prompt that doesn't fit into an argument lies in a file, and the argument only says so. */
function promptOf([first]: readonly string[], env: NodeJS.ProcessEnv): string {
  const prompt = env.KELOS_PROMPT_FILE ? read("KELOS_PROMPT_FILE", env.KELOS_PROMPT_FILE) : first;
  if (prompt === undefined || prompt === "") {
    throw new AppError(
      "usage.invalid",
      "no prompt; it is the first argument, or in the file that KELOS_PROMPT_FILE names",
    );
  }
  return prompt;
}

function textOrFile(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const file = env[`${name}_FILE`];
  return (file ? read(`${name}_FILE`, file) : env[name]) || undefined;
}

function read(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new AppError("config.invalid", `${name}: ${file}: can't be read (${errnoOf(error)})`, {}, { cause: error });
  }
}

function setupCommandIn(json: string | undefined): string[] | undefined {
  if (!json) return undefined;
  const words = parse(json);
  const isCommand = Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === "string");
  if (isCommand) return words;
  throw new AppError("config.invalid", "KELOS_SETUP_COMMAND: is not a JSON array of words");
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function pluginsIn(folder: string): Plugin[] {
  return namesIn(folder, "directory").map((name) => {
    const path = join(folder, name);
    const agents = namesIn(join(path, "agents"), "file").filter((file) => file.endsWith(".md"));
    return {
      name,
      path,
      skills: namesIn(join(path, "skills"), "directory"),
      agents: agents.map((file) => file.slice(0, -".md".length)),
    };
  });
}

/** Sorted; the hidden entries are the kubelet's, which swaps mounted folders behind them. */
function namesIn(folder: string, kind: "directory" | "file"): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith(".") && (entry.isSymbolicLink() || isOf(entry, kind)))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw new AppError("config.invalid", `plugins: ${folder}: can't be read (${errnoOf(error)})`, {}, { cause: error });
  }
}

const isOf = (entry: { isDirectory(): boolean; isFile(): boolean }, kind: "directory" | "file"): boolean =>
  kind === "directory" ? entry.isDirectory() : entry.isFile();
