import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { asItIs, type Mount } from "./mount.ts";

/**
 * What git needs of a workspace's repository, and what it would run. The agent may commit; settings and hooks are programs
 * that the person's own git would start later, outside, so those it can't change. Mounted on themselves, they can't be moved
 * out of the way either. In a linked worktree the repository lies elsewhere and has to be shown.
 */
export function gitMounts(workspace: string): Mount[] {
  const dotGit = join(workspace, ".git");
  const kind = kindOf(dotGit);
  if (kind === "folder") return repositoryMounts(dotGit);
  const common = kind === "file" ? commonFolder(dotGit) : undefined;
  return common === undefined ? [] : [asItIs(dotGit, false), ...repositoryMounts(common)];
}

function repositoryMounts(folder: string): Mount[] {
  const kept = ["config", "hooks"].map((name) => join(folder, name)).filter((path) => kindOf(path) !== "none");
  return [asItIs(folder, true), ...kept.map((path) => asItIs(path, false))];
}

/**
 * The folder that all worktrees of the repository share. The file in the workspace may say anything: believed is only a
 * repository that knows this very worktree.
 */
function commonFolder(dotGit: string): string | undefined {
  try {
    const [, named = ""] = /^gitdir: (.+)$/m.exec(readFileSync(dotGit, "utf8")) ?? [];
    const own = realpathSync(resolve(dotGit, "..", named));
    if (realpathSync(readFileSync(join(own, "gitdir"), "utf8").trim()) !== realpathSync(dotGit)) return undefined;
    const common = realpathSync(resolve(own, readFileSync(join(own, "commondir"), "utf8").trim()));
    return kindOf(join(common, "objects")) === "folder" ? common : undefined;
  } catch {
    return undefined; // not what git writes: no worktree, then
  }
}

function kindOf(path: string): "file" | "folder" | "none" {
  try {
    const facts = lstatSync(path);
    return facts.isDirectory() ? "folder" : facts.isFile() ? "file" : "none";
  } catch {
    return "none";
  }
}
