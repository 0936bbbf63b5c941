import { existsSync } from "node:fs";
import type { RunDetail } from "../../../contract/api/runs.ts";
import { IMPORTED, isImported } from "../../../contract/runs/imported.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { hasProfile } from "../../../core/agents/profiles/profile-files.ts";
import { loadRegistry } from "../../../core/agents/registry/registry.ts";
import type { Home } from "../../../core/store/home.ts";
import { findWorktree } from "../../../core/workspaces/worktrees/worktree-record.ts";

/**
 * What a person may choose when a conversation can't go on as it was.
 * `anew`: a new conversation · `no_profile`: the agent without the profile · `worktree`: make the checkout again, from its
 * branch · `repository`: in the repository it was made from · `folder`: make the folder again, empty.
 */
export const resumeChoices = ["anew", "no_profile", "worktree", "repository", "folder"] as const;
export type ResumeChoice = (typeof resumeChoices)[number];

export type Resumable = Omit<RunDetail["resumable"], "choices"> & { choices?: ResumeChoice[] };

/** Whether a prompt would go on with this conversation; a deleted profile or folder is a choice, not an end. */
export async function resumable(home: Home, info: RunInfo): Promise<Resumable> {
  if (isImported(info)) return { ok: false, why: IMPORTED };
  const definition = (await loadRegistry(home.root)).enabled.find(({ id }) => id === info.agent);
  if (definition === undefined) return { ok: false, why: `agent ${info.agent} is not known any more` };
  if (info.profile !== "" && !hasProfile(home.root, info.profile)) {
    return { ok: false, why: `profile ${info.profile} was deleted`, choices: ["no_profile"] };
  }
  if (!existsSync(info.cwd)) return withoutFolder(home, info);
  if (info.session_id === "") return { ok: false, why: "it never had a conversation", choices: ["anew"] };
  if (definition.session_config.can_recover) return { ok: true };
  return { ok: false, why: `${info.agent} never goes on with an earlier conversation`, choices: ["anew"] };
}

function withoutFolder(home: Home, { cwd, project_id, task_id }: RunInfo): Resumable {
  const record = findWorktree(home.root, project_id, task_id);
  const why = `the folder it worked in is gone: ${cwd}`;
  if (record?.path !== cwd || !existsSync(record.repository)) return { ok: false, why, choices: ["folder"] };
  return { ok: false, why, choices: ["worktree", "repository"] };
}
