import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scene, until } from "../support/cox.ts";
import { findTools } from "../support/executors.ts";
import { COMMIT, gitIn, inside, latest, notices, repository, run, said } from "../support/fenced-git.ts";

const { sandbox } = findTools();

const WORK = `set -e; echo two > file; echo new > added; git add .; ${COMMIT} commit -q -m second; git status --short`;

/** When its checkpoint is there. */
const turnOver = (git: ReturnType<typeof gitIn>, id: string, number: number) =>
  until(() => git("for-each-ref", `refs/cox/${id}/${number}`) !== "");

describe.skipIf(!sandbox)("what an agent commits in a sandbox arrives", { timeout: 60_000 }, () => {
  test("on the person's branch, with the index as it would be", async () => {
    const made = scene();
    const git = repository(made.workspace);
    writeFileSync(join(made.folder, ".gitconfig"), "[user]\n\tname = Person\n\temail = person@x\n");
    expect(await inside(made, WORK.replace(COMMIT, "git"))).toBe("exit 0\n");
    expect(git("log", "-1", "--format=%an %ae")).toBe("Person person@x\n");
    expect(git("log", "--format=%s")).toBe("second\nfirst\n");
    expect(git("status", "--short")).toBe("");
    expect(git("for-each-ref", "--format=%(refname)", "refs/cox").split("\n").sort().join(" ")).toMatch(
      /^ refs\/cox\/[\w-]+\/0 refs\/cox\/[\w-]+\/1$/,
    );
    expect(latest(made)?.info).toMatchObject({ branch: "main", commit: git("rev-parse", "HEAD").trim() });
    expect(notices(made)).toEqual([]);
  });

  test("after each turn, also when a commit is made again", async () => {
    const made = scene();
    const git = repository(made.workspace);
    const id = made.idOf(
      (await made.cox([...run, "-d", "-i", "--", `@run echo 2 > file && ${COMMIT} commit -qam second`])).stdout,
    );
    await turnOver(git, id, 1);
    for (const [number, text] of [
      [2, "amended"],
      [3, "third"],
    ] as const) {
      const amend = number === 2 ? "--amend" : "";
      await made.cox(["prompt", id, `@run echo ${text} > file && ${COMMIT} commit -qam ${text} ${amend}`]);
      await turnOver(git, id, number);
      expect(git("log", "-1", "--format=%s")).toBe(`${text}\n`);
    }
    await made.cox(["stop", id]);
    expect(git("log", "--format=%s")).toBe("third\namended\nfirst\n");
    expect(git("status", "--short")).toBe("");
  });

  test("as one worktree's branch, which can be merged", async () => {
    const made = scene();
    const git = repository(made.workspace);
    const command = WORK.replaceAll("\n", ";");
    const { code } = await made.cox([...run, "--worktree", "--task", "side", "--", `@run ${command}`]);
    expect(code).toBe(0);
    expect(said(made)).toBe("(no output)");
    const merged = await made.cox(["merge", "side"]);
    expect(merged.stderr).toBe("");
    expect(git("log", "--format=%s")).toContain("second");
    expect(git("show", "HEAD:added")).toBe("new\n");
  });

  test("beside it, where the person's branch or index has moved on", async () => {
    const made = scene();
    const git = repository(made.workspace);
    // As the person would do it meanwhile.
    const meanwhile = { commit: "commit --allow-empty -m mine", stage: "add theirs" };
    for (const [what, words] of Object.entries(meanwhile)) {
      writeFileSync(join(made.workspace, "theirs"), what);
      const id = made.idOf((await made.cox([...run, "-d", "-i", "--", "@say hi"])).stdout);
      await turnOver(git, id, 1);
      git(...words.split(" "));
      const before = git("rev-parse", "HEAD");
      await made.cox(["prompt", id, `@run echo ${what} > file && ${COMMIT} commit -qm ${what} file`]);
      await turnOver(git, id, 2);
      await made.cox(["stop", id]);
      expect(git("rev-parse", "HEAD")).toBe(before);
      const kept = `refs/cox/${id}/heads/main`;
      expect(git("log", "-1", "--format=%s", kept)).toBe(`${what}\n`);
      expect(notices(made).join("\n")).toContain(`git merge ${kept}`);
      git("commit", "-q", "--allow-empty", "-am", "all");
    }
  });

  test("under a name of its own, where it isn't the branch that is checked out", async () => {
    const made = scene();
    const git = repository(made.workspace);
    await inside(made, `git switch -q -c other; ${WORK}; git tag mark; git stash list`);
    expect(git("log", "--format=%s", "HEAD")).toBe("first\n");
    expect(git("symbolic-ref", "HEAD")).toBe("refs/heads/main\n");
    const refs = git("for-each-ref", "--format=%(refname)", "refs/cox");
    expect(refs).toContain("/heads/other\n");
    expect(refs).toContain("/tags/mark\n");
    expect(git("branch", "--list")).toBe("* main\n");
  });

  test("but what the person had is not taken off their branch", async () => {
    const made = scene();
    const git = repository(made.workspace);
    git("commit", "-q", "--allow-empty", "-m", "second");
    await inside(made, `git reset -q --hard HEAD~1; echo other > file; ${COMMIT} commit -qam other`);
    expect(git("log", "--format=%s")).toBe("second\nfirst\n");
    const { run_id: id = "" } = latest(made)?.info ?? {};
    const said = notices(made).join("\n");
    expect(said).toContain("main was not moved to the agent's commits: they leave out commits that you had");
    expect(said).toContain(`take it with: git reset --keep refs/cox/${id}/heads/main`);
    expect(git("log", "--format=%s", `refs/cox/${id}/heads/main`)).toBe("other\nfirst\n");
    // Its own commits it may take back.
    await inside(
      made,
      `git checkout -q -- .; for m in a b; do ${COMMIT} commit -q --allow-empty -m $m; done; git reset -q --hard HEAD~1`,
    );
    expect(git("log", "--format=%s")).toBe("a\nsecond\nfirst\n");
  });

  test("without what the person had staged being lost", async () => {
    const made = scene();
    const git = repository(made.workspace);
    writeFileSync(join(made.workspace, "staged"), "staged\n");
    git("add", "staged");
    await inside(made, `echo two > file; ${COMMIT} commit -q -m second file`);
    expect(git("log", "-1", "--format=%s")).toBe("second\n");
    expect(git("status", "--short")).toBe("A  staged\n");
  });

  test("not, where it would bring another repository along: that is said", async () => {
    const made = scene();
    const git = repository(made.workspace);
    await inside(
      made,
      `git init -q evil; ${COMMIT} -C evil commit -q --allow-empty -m x; git add evil; ${COMMIT} commit -q -m evil`,
    );
    expect(git("log", "--format=%s")).toBe("first\n");
    expect(notices(made).join("\n")).toContain("adds or changes other repositories in this one (evil)");
  });

  test("not, where it isn't what git would make: that is said, and nothing changes", async () => {
    const made = scene();
    const git = repository(made.workspace);
    const broken = `git hash-object -t commit -w --literally --stdin < broken | xargs git update-ref refs/heads/main`;
    await inside(made, `printf 'tree %s\\nauthor x\\n\\nhi' $(git rev-parse HEAD^{tree}) > broken; ${broken}`);
    expect(git("log", "--format=%s")).toBe("first\n");
    expect(notices(made).join("\n")).toMatch(
      /git_not_taken: take the agent's commits out of its sandbox: git index-pack/,
    );
    expect(git("for-each-ref", "refs/cox/*/heads")).toBe("");
  });
});

describe.skipIf(!sandbox)("git works inside a sandbox in", { timeout: 60_000 }, () => {
  const kinds: Record<string, (made: ReturnType<typeof scene>) => ReturnType<typeof gitIn>> = {
    "a sha256 repository": (made) => repository(made.workspace, "--object-format=sha256"),
    "a shallow clone": (made) => clone(made, "--depth=1"),
    "a partial clone": (made) => clone(made, "--filter=blob:none"),
    "a sparse clone": (made) => {
      const git = clone(made);
      git("sparse-checkout", "set", "folder");
      return git;
    },
    "a clone that borrows objects": (made) => clone(made, "--shared"),
    "a detached HEAD": (made) => {
      const git = repository(made.workspace);
      git("checkout", "-q", "--detach");
      return git;
    },
    "a worktree of the person's": (made) => {
      repository(join(made.folder, "main"))("worktree", "add", "-q", "-b", "mine", made.workspace);
      return gitIn(made.workspace);
    },
    "a repository with large files as pointers": (made) => {
      const git = repository(made.workspace);
      writeFileSync(join(made.workspace, ".gitattributes"), "*.bin filter=lfs diff=lfs merge=lfs -text\n");
      const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 1\n`;
      writeFileSync(join(made.workspace, "a.bin"), pointer);
      git("add", ".");
      git("commit", "-q", "-m", "lfs");
      return git;
    },
  };
  /** Of a repository with two commits, by address: a path would be hard links. */
  function clone(made: ReturnType<typeof scene>, ...options: string[]) {
    const from = join(made.folder, "from");
    const git = repository(from);
    mkdirSync(join(from, "folder"));
    writeFileSync(join(from, "folder/inner"), "inner\n");
    git("add", ".");
    git("commit", "-q", "-m", "more");
    git("config", "uploadpack.allowFilter", "true");
    gitIn(made.folder)("clone", "-q", ...options, options[0] === "--shared" ? from : `file://${from}`, made.workspace);
    return gitIn(made.workspace);
  }
  test.each(Object.entries(kinds))("%s", async (_, make) => {
    const made = scene();
    const git = make(made);
    const before = git("log", "--format=%s");
    const script = `set -e; git status --short; git log --format=%s > /dev/null; mkdir -p folder; echo x > folder/made
      git add folder/made; ${COMMIT} commit -q -m second; echo y > folder/made; ${COMMIT} stash -q; git stash pop -q
      ${COMMIT} commit -qam third; git gc -q; git fsck --connectivity-only > /dev/null`;
    expect(await inside(made, script)).toBe("exit 0\n");
    expect(notices(made).filter((text) => !text.includes("/stash"))).toEqual([]);
    expect(git("log", "--format=%s")).toBe(`third\nsecond\n${before}`);
    expect(git("status", "--short")).toBe("");
    git("fsck");
  });

  test("a repository with submodules, which stay where they are", async () => {
    const made = scene();
    for (const name of ["inner", "library"]) repository(join(made.folder, name));
    const add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    const library = gitIn(join(made.folder, "library"));
    library(...add, join(made.folder, "inner"), "inner");
    library("commit", "-q", "-m", "inner");
    const git = repository(made.workspace);
    git(...add, join(made.folder, "library"), "libs/one");
    git("-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init", "--recursive");
    git("commit", "-q", "-m", "submodule");
    const script = `set -e; git status --short; git submodule status --recursive > /dev/null; git -C libs/one log --format=%s
      echo two > file; echo x > libs/one/x; git add -A; ${COMMIT} commit -qm second; ${COMMIT} -C libs/one commit -q --allow-empty -m mine`;
    expect(await inside(made, script)).toBe("inner\nfirst\nexit 0\n");
    expect(git("log", "--format=%s")).toBe("second\nsubmodule\nfirst\n");
    expect(git("-C", "libs/one", "log", "--format=%s")).toBe("inner\nfirst\n");
    expect(git("status", "--short")).toBe(" ? libs/one\n");
  });

  test("a repository without a commit", async () => {
    const made = scene();
    const git = gitIn(made.workspace);
    git("init", "-q", "-b", "main");
    expect(await inside(made, `echo x > made; git add made; ${COMMIT} commit -q -m first`)).toBe("exit 0\n");
    expect(git("log", "--format=%s")).toBe("first\n");
    expect(git("status", "--short")).toBe("");
  });

  test("a part of a repository: that one is not there, and the person's git works on meanwhile", async () => {
    const made = scene();
    const git = repository(made.workspace);
    const part = join(made.workspace, "part");
    mkdirSync(part);
    writeFileSync(join(part, "inner"), "x\n");
    git("add", ".");
    git("commit", "-q", "-m", "part");
    const id = made.idOf(
      (await made.cox([...run, "-d", "-i", "--cwd", part, "--", "@run git status > status 2>&1"])).stdout,
    );
    await turnOver(git, id, 1);
    expect(gitIn(part)("status", "--short")).toBe("?? status\n");
    expect(gitIn(part)("show", ":part/status".replace("status", "inner"))).toBe("x\n");
    await made.cox(["stop", id]);
    rmSync(join(part, "status"));
    expect(git("status", "--short", "--ignored")).toBe("");
    expect(() => rmSync(join(part, ".git"))).toThrow("ENOENT");
  });

  test("a repository whose refs are a table: it is refused", async () => {
    const made = scene();
    repository(made.workspace);
    mkdirSync(join(made.workspace, ".git/reftable"));
    const { code } = await made.cox([...run, "--", "@say hi"]);
    expect(code).not.toBe(0);
    expect(latest(made)?.info?.error_summary).toContain("keeps its refs as a reftable");
  });
});
