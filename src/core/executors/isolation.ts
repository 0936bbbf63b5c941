import { constants, existsSync } from "node:fs";
import { cp, lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ISOLATED_OUTPUT_FOLDER } from "../../contract/runs/run.ts";
import { diskError } from "../../lib/files/disk-error.ts";
import { inside } from "./executor.ts";
import { asItIs, type Mount } from "./mount.ts";

/** What an isolated agent has of this machine, in whatever it is locked up. */
export interface Isolation {
  workspace: string;
  /** What the run has in place of the workspace's git: of that nothing is ever writable. */
  git: (runDirectory: string) => Promise<readonly Mount[]>;
  /** Where it finds its home. */
  home: string;
  /** A home that outlives the run; without it each run has one of its own. */
  keptHome?: string;
  /** The directory of the run whose conversation goes on: its home is taken over. */
  earlierRun?: string;
  /** What the person wants it to have beside its workspace. */
  mounts: readonly Mount[];
  /** Our state and our sockets: to be seen through none of the mounts. */
  secret: readonly string[];
  network: boolean;
}

/** The folders of a run that its agent gets; a second process of the same run finds them as the first left them. */
export async function isolatedMounts(
  isolation: Isolation,
  runDirectory: string,
  socket: string | undefined,
): Promise<Mount[]> {
  const home = isolation.keptHome ?? join(runDirectory, "home");
  const output = join(runDirectory, ISOLATED_OUTPUT_FOLDER);
  const given = join(runDirectory, PRIVATE);
  if (isolation.earlierRun !== undefined) await takeOver(join(isolation.earlierRun, "home"), home);
  for (const folder of [home, output, given]) await make(folder);
  const git = await isolation.git(runDirectory);
  return [
    { source: home, target: isolation.home, write: true },
    ...isolation.mounts,
    asItIs(isolation.workspace, true),
    ...git,
    { source: output, target: inside.runFolder, write: true },
    { source: given, target: inside.privateDir, write: false },
    ...(socket === undefined ? [] : [{ source: socket, target: inside.socket, write: true }]),
  ];
}

const PRIVATE = "private";

/** Where a protocol leaves what the agent finds in its `privateDir`; there before the agent is. */
export async function privateFolder(runDirectory: string): Promise<string> {
  const folder = join(runDirectory, PRIVATE);
  await make(folder);
  return folder;
}

/** Conversations lie in the home. A copy, so that the earlier run can be gone on with again, or deleted. */
async function takeOver(from: string, to: string): Promise<void> {
  if (existsSync(to) || !existsSync(from)) return;
  try {
    await cp(from, to, {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      // Whatever an agent left that is no file: a socket or a pipe has nothing to copy.
      filter: async (path) => {
        const facts = await lstat(path);
        return facts.isFile() || facts.isDirectory() || facts.isSymbolicLink();
      },
    });
  } catch (error) {
    throw diskError("take over the home of the earlier run", from, error);
  }
}

async function make(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("make a folder for the agent", folder, error);
  }
}
