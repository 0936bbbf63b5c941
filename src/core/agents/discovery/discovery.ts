import { existsSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
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
  /** The program, where it was found; undefined for an agent without one (REST). */
  program: string | undefined;
  login: Login;
  /** What to do about its state; empty when it can be used. */
  remedy: string;
  /** The profile it has without anybody writing one. */
  profile: { agent: string; model: string };
}

/** What is known without starting anything: files, and the PATH. */
export function discover(definition: AgentDefinition, surroundings: Surroundings): Discovered {
  const paths = installationPaths(definition, surroundings);
  const program = lookForProgram(definition, surroundings, paths);
  const login = findLogin(definition, surroundings.env, surroundings.provided);
  const state = stateOf(definition, { paths, program, login });
  return {
    state,
    paths,
    program,
    login,
    remedy: remedyFor(definition, state),
    profile: { agent: definition.id, model: defaultModel(definition) ?? "" },
  };
}

function installationPaths({ discovery }: AgentDefinition, { env, platform }: Surroundings): Discovered["paths"] {
  const { linux, macos } = discovery.installation_path;
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

function remedyFor(definition: AgentDefinition, state: Discovered["state"]): string {
  const { install_command, login_command, required_env, cmd, id } = definition;
  switch (state) {
    case "missing":
    case "not_on_path": {
      const install = install_command || `install ${cmd[0] ?? definition.name} (see its own documentation)`;
      return state === "missing" ? install : `put ${cmd[0]} on your PATH, or: ${install}`;
    }
    case "needs_login": {
      if (login_command !== "") return login_command;
      return `set ${required_env.join(" and ")}, or: cox profile set NAME --agent ${id} --token -`;
    }
    case "installed":
      return "";
  }
}
