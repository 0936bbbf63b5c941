import { closeSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errnoOf } from "../../../lib/files/disk-error.ts";

/**
 * The log of the conversation to go on with: the newest that has something in it, of this folder if Claude knows it, and none
 * of a subagent's.
 */
export function findConversation(conversations: string, workspace: string): string | undefined {
  const logs = logsIn(conversations).filter(({ path }) => hasConversation(path));
  const here = logs.filter(({ path }) => nameOf(basename(dirname(path))) === nameOf(workspace));
  return (here.length > 0 ? here : logs).sort((a, b) => b.time - a.time)[0]?.path;
}

/** Claude makes a folder's name of a path by replacing what is no letter or digit; versions differ in what they replace. */
const nameOf = (path: string): string => path.replace(/[^a-zA-Z0-9]/g, "-");

function logsIn(folder: string): { path: string; time: number }[] {
  return list(folder)
    .filter((name) => name.endsWith(".jsonl") && !`/${name}`.includes("/subagents/"))
    .flatMap((name) => {
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat?.isFile() ? [{ path, time: stat.mtimeMs }] : [];
    });
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

const HEAD_BYTES = 256 * 1024;

/** A log that was only begun can't be resumed. */
function hasConversation(path: string): boolean {
  const fd = openSync(path, "r");
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const count = readSync(fd, head, 0, HEAD_BYTES, 0);
    return /"type"\s*:\s*"(user|assistant)"/.test(head.toString("latin1", 0, count));
  } finally {
    closeSync(fd);
  }
}

/** Kept under another name, for a person to look at. */
export function retire(log: string): void {
  renameSync(log, `${log}.stale`);
}

/** Of hosts that were killed: a pipe without a reader blocks whoever opens it. Returns how many. */
export function removeStalePipes(terminal: string): number {
  const sessions = join(terminal, "sessions");
  const pipes = list(sessions).filter((name) => basename(name) === "hook.pipe");
  for (const pipe of pipes) rmSync(join(sessions, pipe), { force: true });
  return pipes.length;
}
