import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { slug } from "../../../contract/ids.ts";
import { requireWorkspace } from "../../../core/runner/workspace/workspace.ts";
import { homePath } from "../../../core/store/home.ts";
import type { Context } from "../../../lib/command/command.ts";
import type { Where } from "../../../terminal/supervisor/settings.ts";

export interface LocalPlace extends Where {
  workspace: string;
}

/** A folder of the person's, and a home of the agent's own in our state: the person's own is neither read nor written. */
export function localPlace(workspace: string | undefined, { env, cwd }: Pick<Context, "env" | "cwd">): LocalPlace {
  const folder = requireWorkspace(workspace ?? ".", cwd);
  const coxHome = homePath(env);
  const name = `${slug(basename(folder)) || "folder"}-${createHash("sha256").update(folder).digest("hex").slice(0, 8)}`;
  const state = join(coxHome, "supervised", name);
  const gitConfig = join(env.HOME || homedir(), ".gitconfig");
  return {
    workspace: folder,
    state,
    home: join(state, "home"),
    coxHome,
    keepBranch: true,
    reachable: false,
    ...(existsSync(gitConfig) ? { personsGitConfig: gitConfig } : {}),
  };
}
