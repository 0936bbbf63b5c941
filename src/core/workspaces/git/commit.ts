import { addAll, requireNoSubmodule } from "./add.ts";
import { git, line, plumbing } from "./git.ts";

/** Commits everything that is not ignored and no repository of its own, as the person; hooks don't run and nothing is signed. Returns the commit. */
export async function commitAll(checkout: string, message: string): Promise<string> {
  const env = await identity(checkout);
  await addAll(checkout);
  await requireNoSubmodule(checkout);
  await git(checkout, ["commit", "--quiet", "--no-verify", "--cleanup=strip", "--file=-"], {
    input: message,
    env,
    writes: true,
  });
  return line(await plumbing(checkout, ["rev-parse", "HEAD"]));
}

/** The person's own where git knows one; else ours, so that a fresh machine is no obstacle. */
export async function identity(checkout: string): Promise<Record<string, string>> {
  const asked = ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"].map((name) =>
    plumbing(checkout, ["var", name], { answers: [1, 128], settings: [["user.useConfigOnly", "true"]] }),
  );
  const known = (await Promise.all(asked)).every((result) => result.code === 0);
  if (known) return {};
  return {
    GIT_AUTHOR_NAME: "Coxswain",
    GIT_AUTHOR_EMAIL: "cox@localhost",
    GIT_COMMITTER_NAME: "Coxswain",
    GIT_COMMITTER_EMAIL: "cox@localhost",
  };
}
