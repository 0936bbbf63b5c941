import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { isDistrusted } from "./distrust.ts";

/**
 * The absolute path of a program. Resolved by us, before the agent's folder becomes the current one: relative entries of PATH
 * and whatever an agent can write are passed over, or a `claude` lying in a workspace would be run with the person's rights.
 * What is named by a path is whoever's who named it.
 */
export function findExecutable(name: string, { path, cwd }: { path: string | undefined; cwd: string }): string {
  if (name.includes("/")) return named(name, resolve(cwd, name));
  const candidates = (path ?? "")
    .split(":")
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
  const programs = candidates.filter((candidate) => kindOf(candidate) === "executable");
  const found = programs.find((candidate) => !isDistrusted(candidate));
  if (found !== undefined) return found;
  const [foreign] = programs;
  if (foreign !== undefined) throw passedOver(name, foreign);
  const unusable = candidates.find((candidate) => kindOf(candidate) === "file");
  if (unusable !== undefined) throw notExecutable(name, unusable);
  throw new AppError("agent.not_installed", `${name}: not found on PATH`, { name });
}

function named(name: string, file: string): string {
  switch (kindOf(file)) {
    case "executable":
      return file;
    case "file":
    case "other":
      throw notExecutable(name, file);
    case "missing":
      throw new AppError("agent.not_installed", `${name}: there is no such file`, { name, file });
  }
}

function passedOver(name: string, file: string): AppError {
  const message = `${name}: not found on PATH but in ${file}, which agents can write to; install it elsewhere, or name it by its whole path`;
  return new AppError("agent.not_installed", message, { name, file });
}

function notExecutable(name: string, file: string): AppError {
  const message = `${name}: ${name === file ? "" : `${file} `}is not an executable file; set its x bit, or name another program`;
  return new AppError("agent.not_executable", message, { name, file });
}

function kindOf(file: string): "executable" | "file" | "other" | "missing" {
  try {
    if (!statSync(file).isFile()) return "other";
  } catch {
    return "missing";
  }
  try {
    accessSync(file, constants.X_OK);
    return "executable";
  } catch {
    return "file";
  }
}
