import { accessSync, constants, mkdirSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { requireName } from "../../contract/ids.ts";
import { createHash } from "../../lib/base/crypto.ts";
import { diskError } from "../../lib/files/disk-error.ts";
import { openPrivateFolder, requirePrivateFolder } from "../../lib/files/private-folder.ts";

/** Where everything we keep lies. Files are the truth; each has one writer, or is append-only, or is one record. */
export interface Home {
  readonly root: string;
  readonly ledger: string;
  readonly hosts: string;
  readonly handles: string;
}

export function homePath(env: NodeJS.ProcessEnv): string {
  if (env.COX_HOME !== undefined && env.COX_HOME !== "") return resolve(env.COX_HOME);
  // An empty HOME would mean wherever one happens to be.
  return resolve(homedir() || userInfo().homedir, ".coxswain");
}

/** Readers don't create anything: `cox ls` on a fresh machine leaves no trace. */
export function homeAt(path: string): Home {
  const root = resolve(path);
  return { root, ledger: join(root, "runs.jsonl"), hosts: join(root, "hosts"), handles: join(root, "handles") };
}

/** What lies here is believed, down to the programs to run: one that others can write into, or that isn't ours, is refused. */
export const requirePrivateHome = (root: string): void => requirePrivateFolder(root, { through: true });

/** Makes the folders and proves that we may write there, before anything is half done. */
export function openHome(root: string): Home {
  const home = homeAt(root);
  try {
    for (const folder of [home.hosts, home.handles]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const folder of [home.root, home.hosts, home.handles]) accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw diskError("open the state folder", root, error);
  }
  requirePrivateHome(root);
  openPrivateFolder(dirname(agentSocketPath(home, "00000000-0000000000-0000000-0000"))); // the longest that a run has
  return home;
}

/** Those in which agents can write: their homes and checkouts, and the directories of their runs. */
export const agentFolders = ({ root }: Home): string[] =>
  ["homes", "worktrees", "projects", "supervised"].map((name) => join(root, name));

export const projectFolder = (home: Home, project: string): string =>
  `${home.root}/projects/${requireName("project", project)}`;
export const taskFolder = (home: Home, project: string, task: string): string =>
  `${projectFolder(home, project)}/${requireName("task", task)}`;
export const runFolder = (home: Home, project: string, task: string, runId: string): string =>
  `${taskFolder(home, project, task)}/runs/${runId}`;

/** Node silently truncates socket paths at 107 bytes (103 on macOS): a long home gets a short name elsewhere. */
const MAX_SOCKET_PATH = 103;

/** Where people reach the run's host. */
export const socketPath = (home: Home, runId: string): string => shortened(join(home.hosts, `${runId}.sock`));

/** Where its agent does, for the little that an agent may ask. */
export const agentSocketPath = (home: Home, runId: string): string =>
  shortened(join(home.hosts, `${runId}.agent.sock`));

function shortened(path: string): string {
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return path;
  const name = createHash("sha256").update(path).digest("hex").slice(0, 24);
  return join(shortSocketFolder(), `${name}.sock`);
}

export function shortSocketFolder(): string {
  const base = Buffer.byteLength(tmpdir()) > 40 ? "/tmp" : tmpdir();
  return join(base, `cox-${process.getuid?.() ?? 0}`);
}
