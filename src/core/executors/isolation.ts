import { existsSync, promises } from "node:fs";
import { dirname, join } from "node:path";
import { wrap } from "../../contract/errors.ts";
import { ISOLATED_OUTPUT_FOLDER } from "../../contract/runs/run.ts";
import { diskError } from "../../lib/files/disk-error.ts";
import { copyTree } from "../../lib/files/tree/copy-tree.ts";
import { inside } from "./executor.ts";
import type { LocalSpec } from "./local.ts";
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
  { stdoutPath, env, aside, signal }: Pick<LocalSpec, "stdoutPath" | "env" | "aside" | "signal">,
): Promise<Mount[]> {
  const runDirectory = dirname(stdoutPath);
  const socket = env.COX_SOCKET;
  const home = isolation.keptHome ?? join(runDirectory, "home");
  const output = join(runDirectory, ISOLATED_OUTPUT_FOLDER);
  const given = join(runDirectory, PRIVATE);
  // Beside the agent nobody needs its conversation, least of all at the end of a run that was stopped before it had it.
  if (isolation.earlierRun !== undefined && !aside) await takeOver(join(isolation.earlierRun, "home"), home, signal);
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
async function takeOver(from: string, to: string, signal?: AbortSignal): Promise<void> {
  if (existsSync(to) || !existsSync(from)) return;
  try {
    await copyTree(from, to, HOME_LIMITS, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw wrap("take over the home of the earlier run", error);
  }
}

/** A home has caches too; what is beyond these nobody wants twice. */
const HOME_LIMITS = { bytes: 8 * 1024 ** 3, entries: 500_000 };

async function make(folder: string): Promise<void> {
  try {
    await promises.mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("make a folder for the agent", folder, error);
  }
}
