import { existsSync } from "node:fs";
import type { workspaceRoutes } from "../../../contract/api/workspace.ts";
import { AppError } from "../../../contract/errors.ts";
import { runName } from "../../../contract/ids.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { undoNotes } from "../../../core/runs/undo-notes.ts";
import type { Home } from "../../../core/store/home.ts";
import { readClaims } from "../../../core/store/runs/claims.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { readRunInfo } from "../../../core/store/runs/run-info.ts";
import { listCheckpoints } from "../../../core/workspaces/checkpoints/checkpoint.ts";
import { previewUndo, undo } from "../../../core/workspaces/checkpoints/undo.ts";
import { standingOf } from "../../../core/workspaces/checkpoints/undo-step.ts";
import { listFolder, openInside, searchFiles } from "../../../core/workspaces/files.ts";
import { repositoryOf, requireRepository } from "../../../core/workspaces/git/repository.ts";
import { changesOf } from "../../../core/workspaces/run-changes.ts";
import { commitFiles, discardFiles, stageFiles } from "../../../core/workspaces/stage.ts";
import { mergeTask } from "../../../core/workspaces/worktrees/merge.ts";
import { hasGh, openPullRequest } from "../../../core/workspaces/worktrees/pull-request.ts";
import { findWorktree } from "../../../core/workspaces/worktrees/worktree-record.ts";
import { isWithin } from "../../../lib/files/within.ts";
import type { Handlers } from "../api/handlers.ts";
import { sendFile } from "../files.ts";
import type { ServerPorts } from "../ports.ts";
import { runDiff } from "../runs/run-diff.ts";
import { previewOf } from "../runs/run-preview.ts";

export function workspaceHandlers(
  ports: ServerPorts,
  infoOf: (run: string) => RunInfo,
): Handlers<keyof typeof workspaceRoutes> {
  const { home, env } = ports;
  const folderOf = (run: string) => {
    const { cwd } = infoOf(run);
    if (existsSync(cwd)) return cwd;
    throw new AppError("workspace.invalid", `run ${run}: its folder ${cwd} is gone`);
  };
  /** For whatever changes files: nobody may be in the middle of something there. */
  const quietRoot = async (run: string) => {
    const { root } = await requireRepository(folderOf(run));
    requireQuiet(home, root);
    return root;
  };
  return {
    "GET /runs/{run}/workspace": async ({ params }) => {
      const { cwd, branch, base_branch, project_id, task_id } = infoOf(params.run);
      const exists = existsSync(cwd);
      const repository = exists ? await repositoryOf(cwd) : undefined;
      const worktree = findWorktree(home.root, project_id, task_id);
      return {
        cwd,
        exists,
        git: repository !== undefined,
        branch: repository?.head.branch ?? branch,
        base_branch: worktree?.base_branch ?? base_branch,
        commit: repository?.head.commit ?? "",
        worktree: worktree?.path === cwd,
        gh: hasGh(env),
      };
    },

    "GET /runs/{run}/workspace/tree": ({ params, query }) => listFolder(folderOf(params.run), query.path),

    "GET /runs/{run}/workspace/search": async ({ params, query }) => ({
      paths: await searchFiles(folderOf(params.run), query.text, query.limit),
    }),

    "GET /runs/{run}/workspace/file": async ({ params, query }, { exchange }) => {
      const name = query.path.slice(query.path.lastIndexOf("/") + 1);
      await sendFile(exchange, openInside(folderOf(params.run), query.path), { name });
      return undefined;
    },

    "GET /runs/{run}/workspace/diff": async ({ params, query }) => {
      const files = await runDiff(home, infoOf(params.run), query);
      const sum = (key: "added" | "removed") => files.reduce((total, file) => total + (file[key] ?? 0), 0);
      return { files, added: sum("added"), removed: sum("removed") };
    },

    "POST /runs/{run}/workspace/stage": async ({ params, body }) => {
      const { root } = await requireRepository(folderOf(params.run));
      await stageFiles(root, body.paths, body.staged);
      return undefined;
    },

    "POST /runs/{run}/workspace/commit": async ({ params, body }) => {
      const root = await quietRoot(params.run);
      return { commit: await commitFiles(root, body.message, body.paths) };
    },

    "POST /runs/{run}/workspace/discard": async ({ params, body }) => {
      await quietRoot(params.run);
      const { workspace } = await changesOf(home.root, infoOf(params.run), "own");
      const { restored, deleted } = await discardFiles(workspace, params.run, body.paths);
      return { restored, deleted };
    },

    "GET /runs/{run}/workspace/checkpoints": async ({ params }) => {
      const { workspace } = await changesOf(home.root, infoOf(params.run), "any");
      const list = await listCheckpoints(workspace.repository.root, params.run);
      const items = list.flatMap(({ kind, n, at, commit }) => (kind === "after" ? [] : [{ kind, n, at, commit }]));
      return { items, redo: standingOf(list).redo !== undefined };
    },

    "POST /runs/{run}/workspace/undo": async ({ params, body }) => {
      const info = infoOf(params.run);
      const { workspace, turns } = await changesOf(home.root, info, "own");
      const { root } = workspace.repository;
      const { merge } = body;
      const wishes = { to: body.to === "redo" ? body.to : { turn: body.to }, merge };
      const { files, edited } = await previewUndo(workspace, params.run, wishes);
      const changes = files.map(({ path, change, added, removed }) => ({ path, change, added, removed }));
      const notes = body.to === "redo" ? [] : undoNotes(home, info, { root, turns: turns.length - 1 - body.to });
      const about = { folder: root, changes, edited, notes };
      if (body.preview) return { ...about, left: [] };
      requireQuiet(home, root);
      const { left, headWas } = await undo(workspace, params.run, wishes);
      return { ...about, left, head_was: headWas?.commit };
    },

    "POST /runs/{run}/workspace/merge": async ({ params, body }) => {
      await quietRoot(params.run);
      const { project_id, task_id } = infoOf(params.run);
      const record = findWorktree(home.root, project_id, task_id);
      if (record === undefined || record.base_branch === "") {
        throw new AppError("workspace.invalid", `run ${params.run}: has no worktree of its own that could be merged`);
      }
      const { how, message: commitMessage } = body;
      const wishes = { worktree: record.path, into: record.base_branch, how, commitMessage };
      const { commit, into, leftOut } = await mergeTask(wishes);
      return { commit, into, left_out: leftOut };
    },

    "POST /runs/{run}/workspace/pull-request": async ({ params, body }) => {
      await quietRoot(params.run);
      const { base_branch: base } = infoOf(params.run);
      return { url: await openPullRequest(folderOf(params.run), { ...body, base }, env) };
    },
  };
}

/** A session that is only open changes nothing; one in a turn would have the files changed under its hands. */
function requireQuiet(home: Home, root: string): void {
  for (const { claim } of readClaims(home)) {
    const paths = claim && runPaths(claim.dir);
    const info = paths && readRunInfo(paths.info);
    if (paths === undefined || info?.status !== "running" || !isWithin(info.cwd, root)) continue;
    if (previewOf(paths.events, true).phase === "idle") continue;
    throw new AppError("workspace.busy", `run ${runName(info)}: is at work in ${info.cwd}; interrupt or stop it first`);
  }
}
