import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { findGit } from "./persons-git.ts";

const git = (cwd: string, ...args: string[]) => execFileSync("git", ["-C", cwd, ...args]).toString();

/** With `main` and its worktree `side`. */
function repository(): string {
  const folder = realpathSync(temporaryFolder());
  git(folder, "init", "-q", "main");
  const main = join(folder, "main");
  git(main, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one");
  git(main, "worktree", "add", "-q", "../side");
  return folder;
}

test("a repository, and a worktree with the repository it belongs to", () => {
  const folder = repository();
  const commonDir = join(folder, "main/.git");
  expect(findGit(join(folder, "main"))).toEqual({ git: { gitDir: commonDir, commonDir } });
  const side = { git: { gitDir: join(commonDir, "worktrees/side"), commonDir } };
  expect(findGit(join(folder, "side"))).toEqual(side);
  // What the file says counts for nothing where we know better.
  writeFileSync(join(folder, "side/.git"), "gitdir: /elsewhere\n");
  expect(findGit(join(folder, "side"), commonDir)).toEqual(side);
  expect(findGit(join(folder, "side"))).toEqual({ odd: expect.stringContaining("is gone") });
});

test("nothing, and an empty folder", () => {
  const folder = temporaryFolder();
  expect(findGit(folder)).toEqual({ none: true });
  mkdirSync(join(folder, ".git"));
  expect(findGit(folder)).toEqual({ none: true });
});

test("a file that claims to belong to somebody's folder is not believed", () => {
  const folder = repository();
  const evil = join(folder, "evil");
  mkdirSync(join(evil, "x"), { recursive: true });
  const claims = (text: string) => {
    writeFileSync(join(evil, ".git"), text);
    return findGit(evil);
  };
  const unknown = { odd: expect.stringContaining("knows nothing of this folder") };
  expect(claims(readFileSync(join(folder, "side/.git"), "utf8"))).toEqual(unknown);
  // One that points back, to somebody's repository as its common folder.
  writeFileSync(join(evil, "x/gitdir"), `${evil}/.git\n`);
  writeFileSync(join(evil, "x/commondir"), `${folder}/main/.git\n`);
  expect(claims("gitdir: x\n")).toEqual({ odd: expect.any(String) });
  expect(claims(`gitdir: ${folder}/main/.git\n`)).toEqual(unknown);
});

test("a folder that leads elsewhere, or is a link, is not believed", () => {
  const folder = repository();
  const main = join(folder, "main");
  writeFileSync(join(main, ".git/commondir"), "../../other/.git\n");
  expect(findGit(main)).toEqual({ odd: "names another repository as its own" });
  rmSync(join(folder, "side/.git"));
  symlinkSync("../main/.git", join(folder, "side/.git"));
  expect(() => findGit(join(folder, "side"))).toThrow("is a link");
});
