import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { writablePlaces } from "./writable-places.ts";

const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];

function repository() {
  const at = realpathSync(temporaryFolder());
  const main = join(at, "main");
  const git = (...args: string[]) => execFileSync("git", [...identity, ...args], { cwd: main, stdio: "pipe" });
  mkdirSync(join(main, "packages/app"), { recursive: true });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("worktree", "add", "-q", join(at, "linked"));
  return { at, main, linked: join(at, "linked") };
}

describe("where an agent can write that works in", () => {
  test("no repository: there", () => {
    const folder = realpathSync(temporaryFolder());
    expect(writablePlaces(folder)).toEqual([folder]);
  });

  test("a part of a repository: all of it, and its worktrees", () => {
    const { main, linked } = repository();
    const part = join(main, "packages/app");
    expect(writablePlaces(part)).toEqual([part, main, linked]);
  });

  test("a worktree: also the checkout it came from", () => {
    const { main, linked } = repository();
    expect(new Set(writablePlaces(linked))).toEqual(new Set([linked, main]));
  });

  test("a repository in a repository: both", () => {
    const { main, linked } = repository();
    const inner = join(main, "packages/app");
    execFileSync("git", ["init", "-q"], { cwd: inner });
    expect(new Set(writablePlaces(inner))).toEqual(new Set([inner, main, linked]));
  });

  test("a repository that claims places which know nothing of it: only there", () => {
    const { at, main, linked } = repository();
    const system = join(at, "usr/bin");
    mkdirSync(system, { recursive: true });
    mkdirSync(join(main, ".git/worktrees/evil"), { recursive: true });
    writeFileSync(join(main, ".git/worktrees/evil/gitdir"), `${join(system, ".git")}\n`);
    expect(writablePlaces(main)).toEqual([main, linked]);
    const claimant = join(at, "claimant");
    mkdirSync(claimant);
    for (const claimed of [join(system, ".git"), join(main, ".git/worktrees/linked"), join(main, ".git")]) {
      writeFileSync(join(claimant, ".git"), `gitdir: ${claimed}\n`);
      expect(writablePlaces(claimant)).toEqual([claimant]);
    }
  });
});
