import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { AppError } from "../../../contract/errors.ts";

/** Where Claude keeps the logs of its conversations. */
export const projectsFolder = (env: NodeJS.ProcessEnv): string =>
  join(env.CLAUDE_CONFIG_DIR || join(env.HOME ?? homedir(), ".claude"), "projects");

/** The log of a conversation, in whichever project's folder it is: how the folder is named is Claude's own affair. */
export function logOf(projects: string, id: string): string | undefined {
  return filesIn(projects)
    .map((folder) => join(projects, folder, `${id}.jsonl`))
    .find((path) => existsSync(path));
}

/** From `--resume`: a log, a workspace, or the name of a project's folder. The newest log there is the one that is meant. */
export function resumedLog(hint: string, cwd: string, env: NodeJS.ProcessEnv): string {
  const path = resolve(cwd, hint);
  const projects = projectsFolder(env);
  const log = hint.endsWith(".jsonl")
    ? existsSync(path) && path
    : [join(projects, hint), join(projects, folderName(path)), path]
        .map(newestLog)
        .find((found) => found !== undefined);
  if (log) return log;
  throw new AppError("config.invalid", `--resume ${hint}: no conversation of claude was found there`, { hint });
}

export const conversationId = (log: string): string => basename(log, ".jsonl");

const folderName = (path: string) => (existsSync(path) ? realpathSync(path) : path).replace(/[^A-Za-z0-9]/g, "-");

function newestLog(folder: string): string | undefined {
  const logs = filesIn(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name));
  return logs.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
}

function filesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // not there, or not yet
  }
}
