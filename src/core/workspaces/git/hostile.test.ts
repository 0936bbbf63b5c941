import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type GitRepository, gitFolder, gitHome, gitRepository } from "../../../../test/support/git-repository.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { takeCheckpoint } from "../checkpoints/checkpoint.ts";
import { previewUndo, undo } from "../checkpoints/undo.ts";
import { openWorkspace } from "../checkpoints/workspace.ts";
import { diffBetween, workspaceDiff } from "../diff.ts";
import { mergeTask } from "../worktrees/merge.ts";
import { createWorktree } from "../worktrees/worktree.ts";
import { removeWorktree } from "../worktrees/worktree-remove.ts";
import { commitAll } from "./commit.ts";
import { guardAgainst } from "./config-guard.ts";
import { git } from "./git.ts";
import { repositoryOf } from "./repository.ts";

const RUN = "20260101-0000000000-0000001-0001";
beforeAll(() => {
  gitHome();
});

const HOOKS =
  "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push post-rewrite reference-transaction post-index-change pre-auto-gc fsmonitor-watchman".split(
    " ",
  );

/** A repository that runs something wherever git lets one; each trap leaves a file of its name. */
function trapped(): { repository: GitRepository; sprung: () => string[] } {
  const marks = temporaryFolder();
  const trap = (name: string, then = "cat") => {
    const file = join(temporaryFolder(), `trap-${name}`);
    writeFileSync(file, `#!/bin/sh\ntouch '${join(marks, name)}'\n${then}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const origin = gitRepository({
    "a.txt": "origin\n",
    ".gitattributes": "* filter=evil diff=evil merge=evil\n*.odd filter=a=b.c\n",
  });
  const root = join(temporaryFolder(), "project");
  execFileSync("git", ["clone", "-q", origin.root, root]);
  const repository = gitFolder(root);

  // A submodule and a bare repository among the files, each with traps of their own.
  repository.git("submodule", "--quiet", "add", origin.root, "sub");
  gitFolder(join(root, "sub")).git("config", "core.fsmonitor", trap("submodule-fsmonitor"));
  gitFolder(join(root, "sub")).git("config", "filter.evil.clean", trap("submodule-clean"));
  execFileSync("git", ["init", "-q", "--bare", join(root, "bare")]);
  gitFolder(join(root, "bare")).git("config", "core.fsmonitor", trap("bare-fsmonitor"));
  rmSync(join(root, "bare", "hooks"), { recursive: true });
  symlinkSync("/etc/passwd", join(root, "link-out"));
  repository.commit("files", { "b.txt": "b\n", "c.odd": "c\n", "dir/d.txt": "d\n" });
  origin.commit("newer", { "a.txt": "newer\n" });

  const hooks = join(root, ".git", "hooks");
  const elsewhere = temporaryFolder();
  for (const name of HOOKS) {
    for (const folder of [hooks, elsewhere]) symlinkSync(trap(`hook-${name}`, "exit 0"), join(folder, name));
  }
  const settings: Record<string, string> = {
    "core.hooksPath": elsewhere,
    "core.fsmonitor": trap("fsmonitor"),
    "core.sshCommand": trap("ssh"),
    "core.askPass": trap("askpass"),
    "core.editor": trap("editor"),
    "core.pager": trap("pager"),
    "core.alternateRefsCommand": trap("alternates"),
    "sequence.editor": trap("sequence"),
    "credential.helper": trap("credential"),
    "credential.https://example.com.helper": trap("credential"),
    "gpg.program": trap("gpg"),
    "commit.gpgSign": "true",
    "diff.external": trap("diff-external"),
    "diff.evil.command": trap("diff-command"),
    "diff.evil.textconv": trap("textconv"),
    "merge.evil.driver": trap("merge-driver"),
    "filter.evil.clean": trap("clean"),
    "filter.evil.smudge": trap("smudge"),
    "filter.evil.process": trap("process", "exit 1"),
    "filter.evil.required": "true",
    "filter.a=b.c.clean": trap("clean-odd"),
    "filter.a=b.c.smudge": trap("smudge-odd"),
    "remote.origin.uploadpack": trap("uploadpack", "exit 1"),
    "protocol.ext.allow": "always",
    "extensions.worktreeConfig": "true",
    "rebase.autoStash": "true",
  };
  for (const [key, value] of Object.entries(settings)) repository.git("config", key, value);
  repository.git("config", "--worktree", "filter.local.clean", trap("worktree-clean"));
  rmSync(marks, { recursive: true });
  mkdirSync(marks);
  return { repository, sprung: () => readdirSync(marks).sort() };
}

/** Without this the tests below would pass with traps that don't work. */
test("the traps work: git alone runs into them", () => {
  const { repository, sprung } = trapped();
  repository.write({ "a.txt": "changed\n", "c.odd": "changed\n" });
  const attempt = (...args: string[]) => {
    try {
      repository.git(...args);
    } catch {
      // A trap may well break the command; that it was run is what counts.
    }
  };
  attempt("-c", "filter.evil.process=", "-c", "filter.evil.required=false", "status");
  attempt("-c", "filter.evil.process=", "-c", "filter.evil.required=false", "add", "-A");
  repository.write({ "a.txt": "changed again\n" }); // or it is known already, and not looked at
  attempt("add", "-A");
  attempt("fetch", "-q", "origin");
  attempt("-c", "filter.evil.process=", "-c", "filter.evil.required=false", "diff", "HEAD");
  const harmless = ["commit.gpgSign=false", "filter.evil.process=", "filter.evil.required=false"];
  attempt(...harmless.flatMap((setting) => ["-c", setting]), "commit", "-q", "-m", "x");
  credentials(repository.root);
  const expected = ["clean-odd", "diff-command", "fsmonitor", "hook-pre-commit", "process", "uploadpack", "credential"];
  expect(sprung()).toEqual(expect.arrayContaining(expected));
});

test("nothing runs while we look, take checkpoints and undo", async () => {
  const { repository, sprung } = trapped();
  const { root } = repository;
  const home = temporaryFolder();
  expect((await repositoryOf(join(root, "dir")))?.root).toBe(realpathSync(root));
  const workspace = await openWorkspace(root, home);
  if (workspace === undefined) throw new Error("not a repository");
  const first = await takeCheckpoint(workspace, RUN, 0);
  repository.write({ "a.txt": "changed\n", "c.odd": "changed\n", "new.txt": "new\n", "sub/new.txt": "x" });
  rmSync(join(root, "dir"), { recursive: true });
  const second = await takeCheckpoint(workspace, RUN, 1);
  const files = await diffBetween(workspace, first.commit, second.commit, { patches: true });
  expect(files.map(({ path }) => path)).toEqual(["a.txt", "c.odd", "dir/d.txt", "new.txt"]);
  await previewUndo(workspace, RUN, { to: { turn: 0 } });
  const undone = await undo(workspace, RUN, { to: { turn: 0 } });
  expect(undone.restored.concat(undone.deleted).sort()).toEqual(["a.txt", "c.odd", "dir/d.txt", "new.txt"]);
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("origin\n");
  expect(existsSync(join(root, "sub/new.txt"))).toBe(true);
  repository.write({ "a.txt": "again\n" });
  const changed = await workspaceDiff(root, { patches: true });
  expect(changed.map(({ path }) => path)).toEqual(["a.txt"]);
  expect(changed[0]?.unified).toContain("+again");
  expect(sprung()).toEqual([]);
});

test("nothing runs while a worktree is made, worked in, merged and removed", async () => {
  const { repository, sprung } = trapped();
  const { root } = repository;
  const home = temporaryFolder();
  const names = { home, project: "p", task: "t" };
  const { record, notices } = await createWorktree({ ...names, repository: root });
  expect(notices).toContain("submodules are not checked out");
  expect(notices.filter((notice) => notice.includes("fetch"))).toEqual([]);
  expect(readFileSync(join(record.path, "c.odd"), "utf8")).toBe("c\n");

  writeFileSync(join(record.path, "a.txt"), "theirs\n");
  await commitAll(record.path, "work");
  writeFileSync(join(root, "a.txt"), "ours\n");
  await commitAll(root, "other work");
  for (const how of ["rebase", "merge"] as const) {
    await expect(mergeTask({ worktree: record.path, into: "main", how })).rejects.toMatchObject({
      code: "workspace.conflict",
      details: { conflicts: ["a.txt"] },
    });
  }
  writeFileSync(join(root, "a.txt"), "origin\n");
  await commitAll(root, "back");
  expect((await mergeTask({ worktree: record.path, into: "main", how: "rebase" })).commits).toBe(1);
  writeFileSync(join(record.path, "b.txt"), "more\n");
  expect((await mergeTask({ worktree: record.path, into: "main", how: "merge", commitMessage: "more" })).commits).toBe(
    2,
  );
  await removeWorktree(names);
  expect(existsSync(record.path)).toBe(false);
  expect(sprung()).toEqual([]);
});

const CREDENTIAL = "protocol=https\nhost=example.com\n\n";
function credentials(cwd: string): void {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "" };
  spawnSync("git", ["credential", "fill"], { cwd, env, input: CREDENTIAL, timeout: 15_000 });
}

test("nothing runs for a password or a connection", async () => {
  const { repository, sprung } = trapped();
  await expect(git(repository.root, ["credential", "fill"], { input: CREDENTIAL })).rejects.toThrow();
  for (const url of ["ssh://127.0.0.1:1/x", "ext::sh -c 'exit 1'"]) {
    await expect(git(repository.root, ["ls-remote", url])).rejects.toThrow();
  }
  expect(sprung()).toEqual([]);
});

test("a worktree whose own configuration an agent wrote", async () => {
  const { repository, sprung } = trapped();
  const home = temporaryFolder();
  const names = { home, project: "p", task: "t" };
  const { record } = await createWorktree({ ...names, repository: repository.root });
  const marker = join(temporaryFolder(), "ran");
  gitFolder(record.path).git("config", "--worktree", "filter.mine.clean", `touch ${marker}; cat`);
  writeFileSync(join(record.path, ".gitattributes"), "* filter=mine\n");
  writeFileSync(join(record.path, "a.txt"), "changed\n");
  const before = sprung();
  await expect(removeWorktree(names)).rejects.toMatchObject({ code: "workspace.busy" });
  await removeWorktree({ ...names, force: true });
  expect(existsSync(marker)).toBe(false);
  expect(sprung()).toEqual(before);
});

test("a folder that poses as a repository, and one that points elsewhere", async () => {
  const { repository, sprung } = trapped();
  await expect(repositoryOf(join(repository.root, "bare"))).rejects.toMatchObject({ code: "workspace.invalid" });
  const { root, git } = gitRepository();
  const elsewhere = temporaryFolder();
  git("config", "core.worktree", elsewhere);
  await expect(repositoryOf(root)).rejects.toMatchObject({
    message: expect.stringContaining("configured for other files") as string,
  });
  expect(await repositoryOf(elsewhere)).toBeUndefined();
  expect(sprung()).toEqual([]);
});

test("a caller's own git variables don't lead us astray", async () => {
  const other = gitRepository({ "other.txt": "x" });
  const { root } = gitRepository();
  process.env.GIT_DIR = join(other.root, ".git");
  process.env.GIT_INDEX_FILE = join(other.root, ".git/index");
  process.env.GIT_EXTERNAL_DIFF = "false";
  try {
    expect((await repositoryOf(root))?.gitDir).toBe(join(realpathSync(root), ".git"));
    expect((await git(root, ["ls-files"])).stdout.toString()).toBe("readme.md\n");
  } finally {
    for (const name of ["GIT_DIR", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF"]) delete process.env[name];
  }
});

const listing = (...entries: [scope: string, key: string][]) =>
  Buffer.from(entries.map(([scope, key]) => `${scope}\0${key}\0`).join(""), "latin1");

test("what is guarded against, and what is left to the person", () => {
  expect(
    guardAgainst(
      listing(
        ["global", "filter.lfs.clean"],
        ["system", "credential.helper"],
        ["local", "user.email"],
        ["local", "hook.x.y.command"],
        ["local", "core.sshcommand"],
        ["worktree", "filter.a\nb.process"],
        ["local", "merge.m.driver"],
      ),
    ),
  ).toEqual([
    ["hook.x.y.command", "true"],
    ["core.sshcommand", "ssh"],
    ["filter.a\nb.process", ""],
    ["filter.a\nb.required", "false"],
    ["merge.m.driver", "git merge-file -q %A %O %B"],
  ]);
  expect(() => guardAgainst(listing(["local", "filter.\xff.clean"]))).toThrow("not valid UTF-8");
});
