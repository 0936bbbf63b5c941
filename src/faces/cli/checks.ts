import { mkdtempSync, rmSync, statfsSync, watch, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { messageOf } from "../../contract/errors.ts";
import { formatBytes, plural } from "../../contract/words/figures.ts";
import { readConfig } from "../../core/config/config-file.ts";
import { homeAt, openHome, socketPath } from "../../core/store/home.ts";
import { ledgerTrouble, repairLedger } from "../../core/store/ledger/ledger-repair.ts";
import { heal } from "../../core/tasks/heal.ts";
import type { Context } from "../../lib/command/command.ts";
import { openPrivateFolder } from "../../lib/files/private-folder.ts";
import { removeTree } from "../../lib/files/tree/remove-tree.ts";
import { runCommand } from "../../lib/process/command.ts";
import { passedOver } from "../../lib/process/path/distrust.ts";
import { findExecutable } from "../../lib/process/path/executable.ts";
import { oneLine } from "../../lib/text/printable.ts";

/** One thing that was looked at. `none`: not there, and nothing is wrong with that. */
export interface Check {
  name: string;
  status: "ok" | "none" | "warn" | "fail";
  text: string;
  remedy?: string;
}

const MIN_NODE = [20, 19] as const;
const LITTLE_DISK = 1024 ** 3;
const NO_DISK = 100 * 1024 ** 2;
const WATCH_MS = 1000;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const ok = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
  if (ok) return { name: "node", status: "ok", text: version };
  return { name: "node", status: "fail", text: version, remedy: "install Node 20.19 or newer from https://nodejs.org" };
}

export function checkPlatform(platform: string, arch: string): Check {
  const text = `${platform}-${arch}`;
  if (platform === "linux" || platform === "darwin") return { name: "platform", status: "ok", text };
  return { name: "platform", status: "fail", text, remedy: "use Linux, macOS, or WSL on Windows" };
}

export function checkHome(root: string): Check {
  try {
    openHome(root);
    return { name: "state", status: "ok", text: `${root} is writable` };
  } catch (error) {
    return {
      name: "state",
      status: "fail",
      text: messageOf(error),
      remedy: "fix it, or set COX_HOME to another folder",
    };
  }
}

export function checkDisk(freeBytes: number): Check {
  const text = `${formatBytes(freeBytes)} free`;
  if (freeBytes >= LITTLE_DISK) return { name: "disk", status: "ok", text };
  const status = freeBytes < NO_DISK ? "fail" : "warn";
  return { name: "disk", status, text, remedy: "free some space: runs are stopped when the disk is full" };
}

export function freeDisk(root: string): number {
  const { bavail, bsize } = statfsSync(root);
  return bavail * bsize;
}

/** Proves that a host could be reached, wherever its socket has to lie. */
export async function checkSocket(root: string): Promise<Check> {
  const home = homeAt(root);
  const path = socketPath(home, "00000000-0000000000-0000000-0000");
  try {
    openPrivateFolder(dirname(path));
    await listenOnce(path);
    if (!path.startsWith(home.hosts)) {
      const remedy = "nothing to do; a shorter COX_HOME would keep them together";
      return { name: "sockets", status: "ok", text: `${root} is long: sockets lie in ${dirname(path)}`, remedy };
    }
    return { name: "sockets", status: "ok", text: "hosts can be reached" };
  } catch (error) {
    return {
      name: "sockets",
      status: "fail",
      text: messageOf(error),
      remedy: "set COX_HOME to a folder on a local disk",
    };
  } finally {
    rmSync(path, { force: true });
  }
}

function listenOnce(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(path, () => server.close(() => resolve()));
  });
}

/** Without it everything works, but a little later. */
export async function checkWatch(root: string): Promise<Check> {
  const folder = mkdtempSync(join(root, ".doctor-"));
  try {
    const file = join(folder, "file");
    writeFileSync(file, "");
    if (await isTold(file)) return { name: "watching", status: "ok", text: "changes of files are told at once" };
    return unwatched("changes of files are not told");
  } catch (error) {
    return unwatched(messageOf(error));
  } finally {
    removeTree(folder);
  }
}

const unwatched = (text: string): Check => ({
  name: "watching",
  status: "warn",
  text,
  remedy: "files are polled instead; raise fs.inotify.max_user_instances, or use a local disk",
});

function isTold(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (told: boolean) => {
      clearTimeout(timer);
      watcher.close();
      resolve(told);
    };
    const watcher = watch(file, () => done(true));
    const timer = setTimeout(() => done(false), WATCH_MS);
    writeFileSync(file, "changed");
  });
}

export async function checkConfig(root: string): Promise<Check> {
  try {
    await readConfig(root);
    return { name: "config", status: "ok", text: "fine" };
  } catch (error) {
    return { name: "config", status: "fail", text: messageOf(error), remedy: "edit the file, or remove it" };
  }
}

/** The one index over all runs. `--repair` makes it anew, and only if something is wrong with it. */
export function checkLedger(root: string, { clock }: Context, repair: boolean): Check {
  const home = homeAt(root);
  const trouble = ledgerTrouble(home);
  if (trouble === undefined) return { name: "list", status: "ok", text: "all runs are in the list of runs" };
  if (!repair) return { name: "list", status: "fail", text: trouble, remedy: "cox doctor --repair" };
  const { runs, kept, unreadable } = repairLedger(home, clock.now());
  const before = kept === undefined ? "" : `; the old one is ${kept}`;
  const text = `made anew from the directories of ${plural(runs, "run")}${before}`;
  if (unreadable.length === 0) return { name: "list", status: "ok", text };
  const remedy = `look at what no record could be read of: ${unreadable.join(", ")}`;
  return { name: "list", status: "warn", text, remedy };
}

export async function checkHosts(root: string, { clock }: Context): Promise<Check> {
  const failed: string[] = [];
  const healed = await heal(homeAt(root), clock, (runId, error) => failed.push(`run ${runId}: ${messageOf(error)}`));
  if (failed.length > 0) {
    const text = `lost their process, and can't be completed now: ${failed.join("; ")}`;
    return { name: "hosts", status: "fail", text, remedy: "mend that, and run `cox doctor` again" };
  }
  if (healed.length === 0) return { name: "hosts", status: "ok", text: "no run was lost" };
  const text = `${plural(healed.length, "run")} had lost the process that ran them, and were ended: ${healed.join(", ")}`;
  return { name: "hosts", status: "warn", text, remedy: "go on with `cox run --resume RUN`" };
}

/** Said only where there is something to say. */
export function checkPath(path: string | undefined): Check[] {
  const entries = passedOver(path);
  if (entries.length === 0) return [];
  const text = `passed over, since agents can write there: ${entries.join(", ")}`;
  return [
    {
      name: "PATH",
      status: "warn",
      text,
      remedy: "nothing to do, unless you need a program from there: install it elsewhere",
    },
  ];
}

const VERSION_MS = 5000;

/** Whether a program is there, and which. One that doesn't answer in time is there all the same. */
export async function checkProgram(name: string, needed: string | undefined, { env, cwd }: Context): Promise<Check> {
  let file: string;
  try {
    file = findExecutable(name, { path: env.PATH, cwd });
  } catch (error) {
    if (needed === undefined) return { name, status: "none", text: "not installed" };
    return { name, status: "warn", text: messageOf(error), remedy: needed };
  }
  return { name, status: "ok", text: `${await versionOf(file, env, cwd)} (${file})` };
}

async function versionOf(file: string, env: NodeJS.ProcessEnv, cwd: string): Promise<string> {
  const known = Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  try {
    const options = { cwd, env: Object.fromEntries(known), timeoutMs: VERSION_MS, maxBytes: 64 * 1024 };
    const { stdout, stderr, code } = await runCommand(file, ["--version"], options);
    const line = oneLine(stdout.toString("utf8").split("\n")[0] || stderr.split("\n")[0] || "");
    return code === 0 && line !== "" ? line : `no version (exit ${code})`;
  } catch (error) {
    return oneLine(messageOf(error));
  }
}
