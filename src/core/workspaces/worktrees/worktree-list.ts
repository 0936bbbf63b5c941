import { ofRepository } from "../git/git.ts";

interface ListedWorktree {
  path: string;
  head: string;
  /** Missing when detached. */
  branch?: string;
  bare: boolean;
  locked: boolean;
}

/** All checkouts of a repository, the main one first. */
export async function listedWorktrees(commonDir: string): Promise<ListedWorktree[]> {
  const { stdout } = await ofRepository(commonDir)(["worktree", "list", "--porcelain"]);
  return parseWorktrees(stdout.toString("utf8"));
}

export function parseWorktrees(text: string): ListedWorktree[] {
  return text
    .split("\n\n")
    .filter((block) => block.startsWith("worktree "))
    .map((block) => {
      const lines = block.split("\n");
      const value = (key: string) => lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1);
      const has = (key: string) => lines.some((line) => line === key || line.startsWith(`${key} `));
      const branch = value("branch")?.replace(/^refs\/heads\//, "");
      return {
        path: value("worktree") ?? "",
        head: value("HEAD") ?? "",
        ...(branch === undefined ? {} : { branch }),
        bare: has("bare"),
        locked: has("locked"),
      };
    });
}
