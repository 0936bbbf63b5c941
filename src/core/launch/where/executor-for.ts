import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import type { DecidedRequest } from "../../../contract/runs/request.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import { createHash } from "../../../lib/base/crypto.ts";
import { packageRoot } from "../../../lib/files/package-root.ts";
import { isWithin } from "../../../lib/files/within.ts";
import { distrust } from "../../../lib/process/path/distrust.ts";
import type { PlannedMount } from "../../agents/launch/container-plan.ts";
import type { LaunchPlan } from "../../agents/launch/launch.ts";
import type { Config } from "../../config/config-keys.ts";
import { containerExecutor } from "../../executors/container.ts";
import { findEngine, removeLeftovers, requireImage } from "../../executors/engine.ts";
import { type Executor, inside, localExecutor } from "../../executors/executor.ts";
import type { Isolation } from "../../executors/isolation.ts";
import { asItIs, type Mount } from "../../executors/mount.ts";
import { requireBubblewrap, sandboxExecutor } from "../../executors/sandbox.ts";
import { type Home, shortSocketFolder } from "../../store/home.ts";
import { runsBackward } from "../../store/ledger/ledger.ts";
import { readClaims } from "../../store/runs/claims.ts";
import { findRun } from "../../store/runs/find-run.ts";
import { readRunInfo } from "../../store/runs/run-info.ts";
import { heal } from "../../tasks/heal.ts";
import { Fence } from "../../workspaces/fence/fence.ts";
import { listWorktrees } from "../../workspaces/worktrees/worktree-record.ts";
import type { Place } from "./place.ts";

export interface ExecutorWishes {
  place: Place;
  plan: LaunchPlan;
  workspace: string;
  lineage: Pick<DecidedRequest["lineage"], "conversation" | "previous">;
  home: Home;
  config: Config;
  callerEnv: NodeJS.ProcessEnv;
  clock: Clock;
}

/** The chosen place, ready to be used: its tools are there and work. */
export async function executorFor(wishes: ExecutorWishes): Promise<Lodging> {
  const { place, home } = wishes;
  if (place.isolated === undefined) return { executor: localExecutor };
  await heal(home, wishes.clock); // ends lost runs with what is left of them, so that whoever holds a place now lives
  const isolation = isolationFor(wishes, place.isolated.home);
  const fence = fencesOf(home, isolation);
  return { executor: await isolating(wishes, { ...isolation, git: (run) => fence(run).shown() }), fence };
}

/** Where the agent will live, and, isolated, what is between it and the person's git. */
interface Lodging {
  executor: Executor;
  fence?: FenceOf;
}

type FenceOf = (runDirectory: string) => Fence;

/** One for each run, which its processes share. */
function fencesOf(home: Home, { workspace, keptHome, mounts }: Omit<Isolation, "git">): FenceOf {
  const isOurs = isWithin(workspace, join(realpathSync(home.root), "worktrees"));
  const worktree = isOurs ? listWorktrees(home.root).find(({ path }) => path === workspace) : undefined;
  const theirs = [asItIs(workspace, true), ...mounts];
  const wishes = {
    home: home.root,
    workspace,
    commonDir: worktree?.common_dir,
    inside,
    sources: theirs.map(({ source }) => source),
    writable: [
      ...theirs.flatMap(({ source, write }) => (write ? [source] : [])),
      ...(keptHome === undefined ? [] : [keptHome]),
    ],
  };
  const fences = new Map<string, Fence>();
  return (runDirectory) => {
    const fence = fences.get(runDirectory) ?? new Fence(wishes, runDirectory);
    fences.set(runDirectory, fence);
    return fence;
  };
}

async function isolating(
  { place, plan, home, config, callerEnv }: ExecutorWishes,
  isolation: Isolation,
): Promise<Executor> {
  distrust(isolation.mounts.flatMap(({ source, write }) => (write ? [source] : [])));
  if (plan.container === undefined) {
    return sandboxExecutor({ ...isolation, bwrap: await requireBubblewrap(callerEnv), own: place.own });
  }
  const engine = await findEngine(config.container_engine, callerEnv);
  const say = (text: string) => void process.stderr.write(`cox: ${text}\n`);
  const path = await requireImage(engine, plan.container.image, say);
  const label = createHash("sha256").update(home.root).digest("hex").slice(0, 16);
  await removeLeftovers(engine, label, () => new Set(readClaims(home).map(({ runId }) => runId)), say);
  return containerExecutor({ ...isolation, ...plan.container, engine, path, label, package: packageRoot() });
}

function isolationFor(
  { place, plan, workspace, lineage, home, callerEnv }: ExecutorWishes,
  insideHome: string,
): Omit<Isolation, "git"> {
  const { conversation, previous } = lineage;
  requireSeparate(workspace, callerEnv.HOME ?? homedir(), home);
  const goesOn = conversation !== undefined && !conversation.otherAgent && previous !== undefined;
  return {
    workspace,
    home: insideHome,
    keptHome: plan.privateHome,
    earlierRun: goesOn ? folderWithHome(home, previous) : undefined,
    mounts: plan.mounts.map(realMount),
    secret: [home.root, shortSocketFolder()].filter(existsSync).map((path) => realpathSync(path)),
    network: place.network,
  };
}

/** Of the run whose conversation goes on; one that ended before it had taken over a home leads on to whose it would have been. */
function folderWithHome(home: Home, name: string): string {
  const { dir, info } = findRun(home, name).paths;
  const before = existsSync(join(dir, "home")) ? "" : readRunInfo(info)?.resumes;
  const isThere = [...runsBackward(home)].some(({ run_id }) => run_id === before);
  return before !== undefined && isThere ? folderWithHome(home, before) : dir;
}

/** What the agent may write to must not be what it is to be kept from. */
function requireSeparate(workspace: string, personHome: string, home: Home): void {
  const refuse = (why: string) => new AppError("workspace.invalid", `workspace ${workspace}: ${why}`, { workspace });
  if (existsSync(personHome) && isWithin(realpathSync(personHome), workspace)) {
    throw refuse("holds your home folder, which an isolated agent must not see; name a project's folder with --cwd");
  }
  const root = realpathSync(home.root);
  if (isWithin(workspace, root) && !isWithin(workspace, join(root, "worktrees"))) {
    throw refuse("is part of our own state, which an isolated agent must not see; name another with --cwd");
  }
}

function realMount({ source, target, readOnly }: PlannedMount): Mount {
  if (!existsSync(source)) throw new AppError("config.invalid", `mounts: ${source}: does not exist; create it`);
  return { source: realpathSync(source), target: resolve("/", target), write: !readOnly };
}
