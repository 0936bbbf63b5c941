import { realpathSync } from "node:fs";
import { plumbing } from "../../../core/workspaces/git/git.ts";
import type { Step } from "../step.ts";

/** Who commits, and the one folder that git may open although another user owns it. The same after any number of starts. */
export const gitConfig: Step = {
  name: "git config",
  async run({ settings, env }) {
    const { home, workspace, role, personsGitConfig } = settings;
    const set = (key: string, value: string, ...of: string[]) => globally(home, ["--replace-all", key, value, ...of]);
    if (personsGitConfig === undefined) {
      await set("user.name", env.GIT_AUTHOR_NAME || role);
      await set("user.email", env.GIT_AUTHOR_EMAIL || `${role}@gasboat.local`);
    } else {
      await set("include.path", personsGitConfig);
    }
    const folder = realpathSync(workspace);
    // Replaces the same value and no other: added at each start it would pile up, and `*` would trust everything.
    await globally(home, ["--fixed-value", "--replace-all", "safe.directory", folder, folder]);
    return { note: `safe.directory ${folder}` };
  },
};

export function globally(home: string, args: readonly string[]): Promise<unknown> {
  return plumbing(home, ["config", "--global", ...args], { env: { HOME: home, XDG_CONFIG_HOME: "" }, writes: true });
}
