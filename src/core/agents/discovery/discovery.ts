import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { AppError } from "../../../contract/errors.ts";
import { packageRoot } from "../../../lib/files/package-root.ts";
import { isDistrusted } from "../../../lib/process/path/distrust.ts";
import { findExecutable } from "../../../lib/process/path/executable.ts";
import type { AgentDefinition } from "../registry/definition.ts";
import { expandPath } from "./expand-path.ts";
import { findLogin, type Login } from "./login.ts";
import { defaultModel } from "./models.ts";

/** Where we look. */
export interface Surroundings {
  /** With HOME. */
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  /** Variables that a profile provides for this agent, beside the environment. */
  provided?: ReadonlySet<string>;
  own: { node: string; package: string };
}

export interface Discovered {
  state: "installed" | "missing" | "not_on_path" | "needs_login";
  /** Files that tell of an installation, as looked for. */
  paths: { path: string; exists: boolean }[];
  /** Where it keeps MCP servers of its own. */
  mcpPaths: { path: string; exists: boolean }[];
  /** The program, where it was found; undefined for an agent without one (REST). */
  program: string | undefined;
  login: Login;
  /** What to do about its state; empty when it can be used. */
  remedy: string;
  /** The profile it has without anybody writing one. */
  profile: { agent: string; model: string };
}

/** The same of this machine, for whoever calls. */
export function discoverHere(
  definition: AgentDefinition,
  caller: NodeJS.ProcessEnv,
  provided?: ReadonlySet<string>,
): Discovered {
  const env = { ...caller, HOME: caller.HOME ?? homedir() };
  const own = { node: process.execPath, package: packageRoot() };
  return discover(definition, { env, platform: process.platform, provided, own });
}

/** What is known without starting anything: files, and the PATH. */
export function discover(definition: AgentDefinition, surroundings: Surroundings): Discovered {
  const { installation_path, mcp_config_path } = definition.discovery;
  const paths = lookAt(installation_path, surroundings);
  const program = lookForProgram(definition, surroundings, paths);
  const login = findLogin(definition, surroundings.env, surroundings.provided);
  const state = stateOf(definition, { paths, program, login });
  return {
    state,
    paths,
    mcpPaths: lookAt(mcp_config_path, surroundings),
    program,
    login,
    remedy: remedyFor(definition, state, login),
    profile: { agent: definition.id, model: defaultModel(definition) ?? "" },
  };
}

function lookAt(
  { linux, macos }: AgentDefinition["discovery"]["installation_path"],
  { env, platform }: Surroundings,
): Discovered["paths"] {
  return (platform === "darwin" ? macos : linux).flatMap((written) => {
    const path = expandPath(written, env);
    return path === undefined ? [] : [{ path, exists: existsSync(path) }];
  });
}

/** On the PATH, or where its own installer puts it. */
function lookForProgram(
  definition: AgentDefinition,
  { env, own }: Surroundings,
  paths: Discovered["paths"],
): string | undefined {
  const name = programOf(definition, own);
  if (name === undefined) return undefined;
  const installed = paths.filter(({ path, exists }) => exists && path.endsWith(`/${name}`) && !isDistrusted(path));
  for (const candidate of [name, ...installed.map(({ path }) => path)]) {
    try {
      return findExecutable(candidate, { path: env.PATH, cwd: "/" });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return undefined;
}

function programOf({ cmd }: AgentDefinition, own: Surroundings["own"]): string | undefined {
  return cmd[0]?.replaceAll("{node}", own.node).replaceAll("{package}", own.package);
}

/** Started by a program that fetches what it runs: that this is there says nothing of the agent. */
export const isFetcher = ({ cmd }: AgentDefinition): boolean => ["npx", "bunx", "pnpx", "uvx"].includes(cmd[0] ?? "");

function stateOf(
  definition: AgentDefinition,
  { paths, program, login }: Pick<Discovered, "paths" | "program" | "login">,
): Discovered["state"] {
  const hasTrace = paths.some(({ exists }) => exists);
  if (definition.cmd.length > 0) {
    if (program === undefined) return hasTrace ? "not_on_path" : "missing";
    if (isFetcher(definition) && paths.length > 0 && !hasTrace) return "missing";
  } else if (definition.protocol !== "rest") {
    return "missing"; // a container alone: not on this machine
  }
  return login.state === "none" ? "needs_login" : "installed";
}

function remedyFor(definition: AgentDefinition, state: Discovered["state"], login: Login): string {
  const { install_command, login_command, required_env, cmd, id } = definition;
  switch (state) {
    case "missing":
    case "not_on_path": {
      const install = install_command || `install ${cmd[0] ?? definition.name} (see its own documentation)`;
      return state === "missing" ? install : `put ${cmd[0]} on your PATH, or: ${install}`;
    }
    case "needs_login": {
      const isChosen = login.by !== "" && !required_env.includes(login.by);
      if (isChosen) return `set ${login.by}, which ${definition.provider_config} names as env_key`;
      if (login_command !== "") return login_command;
      return `set ${required_env.join(" and ")}, or: cox profile set NAME --agent ${id} --token -`;
    }
    case "installed":
      return "";
  }
}
