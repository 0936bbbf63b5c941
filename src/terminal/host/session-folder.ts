import { rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { openPrivateFolder } from "../../lib/files/private-folder.ts";
import { runCommand } from "../../lib/process/command.ts";
import { findExecutable } from "../../lib/process/path/executable.ts";

/** Where one session of the host keeps what it writes; only this account can read it. */
export interface SessionFolder {
  path: string;
  hookPipe: string;
  hookScript: string;
  token: string;
  settings: string;
  mcp: string;
  stateEvents: string;
  hookEvents: string;
  recording: string;
  cast: string;
}

export async function makeSessionFolder(id: string, env: NodeJS.ProcessEnv): Promise<SessionFolder> {
  const state = env.XDG_STATE_HOME || join(env.HOME ?? homedir(), ".local/state");
  const path = join(state, "coop/sessions", id);
  const inside = (name: string) => join(path, name);
  const folder: SessionFolder = {
    path,
    hookPipe: inside("hook.pipe"),
    hookScript: inside("hook.sh"),
    token: inside("token"),
    settings: inside("coop-settings.json"),
    mcp: inside("mcp.json"),
    stateEvents: inside("state_events.jsonl"),
    hookEvents: inside("hook_events.jsonl"),
    recording: inside("recording.jsonl"),
    cast: inside("terminal.cast"),
  };
  openPrivateFolder(path);
  await makePipe(folder.hookPipe, env);
  return folder;
}

export const writePrivate = (path: string, text: string): void => writeFileSync(path, text, { mode: 0o600 });

/** What is of use only while the host lives. What happened stays. */
export function removeSecrets({ hookPipe, hookScript, token, settings, mcp }: SessionFolder): void {
  for (const path of [hookPipe, hookScript, token, settings, mcp]) rmSync(path, { force: true });
}

/** Node can't make one itself. */
async function makePipe(path: string, env: NodeJS.ProcessEnv): Promise<void> {
  const file = findExecutable("mkfifo", { path: env.PATH ?? "/usr/bin:/bin", cwd: "/" });
  const { code, stderr } = await runCommand(file, ["-m", "600", path], { cwd: "/", env: {}, timeoutMs: 10_000 });
  if (code !== 0) throw new AppError("store.unwritable", `make the hook pipe ${path}: ${stderr}`);
}
