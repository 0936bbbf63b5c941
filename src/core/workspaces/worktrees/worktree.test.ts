import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { type GitRepository, gitFolder, gitHome, gitRepository } from "../../../../test/support/git-repository.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createWorktree, type WorktreeWishes } from "./worktree.ts";
import { findWorktree, listWorktrees } from "./worktree-record.ts";

beforeAll(() => {
  gitHome();
});

function setUp(files?: Readonly<Record<string, string>>) {
  const repository = gitRepository(files);
  const home = realpathSync(temporaryFolder());
  const names = { home, project: "project", task: "fix-it" };
  const create = (wishes: Partial<WorktreeWishes> = {}) =>
    createWorktree({ ...names, repository: repository.root, ...wishes });
  return { repository, home, create };
}

const main = ({ git }: GitRepository) => [git("rev-parse", "HEAD"), git("status", "--porcelain"), git("stash", "list")];

describe("createWorktree", () => {
  test("a checkout and a branch of its own; the dirty one stays as it is", async () => {
    const { repository, home, create } = setUp({ "a.txt": "committed\n" });
    repository.write({ "a.txt": "dirty\n", "new.txt": "untracked\n" });
    repository.git("add", "new.txt");
    const before = main(repository);
    const { record, how, notices } = await create();
    expect({ how, notices }).toEqual({ how: "created", notices: [] });
    expect(record.ready).toBe(true);
    expect(record).toMatchObject({
      path: join(home, "worktrees/project/fix-it"),
      branch: "cox/fix-it",
      base_branch: "main",
      base_commit: repository.git("rev-parse", "HEAD"),
    });
    const tree = gitFolder(record.path);
    expect(tree.git("status", "--porcelain", "--branch")).toBe("## cox/fix-it");
    expect(readFileSync(join(record.path, "a.txt"), "utf8")).toBe("committed\n");
    expect(existsSync(join(record.path, "new.txt"))).toBe(false);
    expect(main(repository)).toEqual(before);
    expect(findWorktree(home, "project", "fix-it")).toEqual(record);
    expect(listWorktrees(home)).toEqual([record]);
  });

  test("asked twice at once, and again later, there is one", async () => {
    const { repository, create } = setUp();
    const made = await Promise.all([create(), create(), create()]);
    expect(made.map(({ how }) => how).sort()).toEqual(["created", "found", "found"]);
    expect((await create()).how).toBe("found");
    expect(repository.git("branch", "--list", "cox/*").split("\n").length).toBe(1);
  });

  test("a branch that is taken gets a number, and odd task names still make branches", async () => {
    const { repository, create } = setUp();
    repository.git("branch", "cox/fix-it");
    repository.git("branch", "cox/fix-it-2");
    expect((await create()).record.branch).toBe("cox/fix-it-3");
    expect((await create({ task: "a.lock" })).record.branch).toBe("cox/a-lock");
    expect((await create({ task: "b", branchPrefix: "me/" })).record.branch).toBe("me/b");
    await expect(create({ task: "c", branchPrefix: "no way/" })).rejects.toMatchObject({ code: "config.invalid" });
    await expect(create({ task: "../d" })).rejects.toMatchObject({ code: "id.invalid" });
  });

  test("begins at the named base: a branch, a tag, a commit; else says what is missing", async () => {
    const { repository, create } = setUp();
    const first = repository.git("rev-parse", "HEAD");
    repository.git("tag", "v1");
    repository.git("branch", "release");
    repository.commit("second", { "b.txt": "b\n" });
    const base = async (task: string, base: string) => {
      const { record } = await create({ task, base });
      return [record.base_branch, record.base_commit];
    };
    expect(await base("a", "release")).toEqual(["release", first]);
    expect(await base("b", "v1")).toEqual(["", first]);
    expect(await base("c", first.slice(0, 10))).toEqual(["", first]);
    await expect(create({ task: "d", base: "nothing" })).rejects.toMatchObject({ code: "workspace.invalid" });
    await expect(create({ task: "e", base: "--upload-pack=x" })).rejects.toMatchObject({ code: "workspace.invalid" });
    await expect(create({ task: "f", repository: temporaryFolder() })).rejects.toMatchObject({
      code: "workspace.invalid",
    });
    await expect(create({ task: "g", repository: gitRepository({}).root })).rejects.toMatchObject({
      message: expect.stringContaining("it has no commit yet") as string,
    });
  });

  test("takes what the remote has more; a remote that is not there is only said", async () => {
    const origin = gitRepository({ "a.txt": "1\n" });
    const clone = gitFolder(join(temporaryFolder(), "clone"));
    execFileSync("git", ["clone", "-q", origin.root, clone.root]);
    const newer = origin.commit("second", { "a.txt": "2\n" });
    origin.git("branch", "only-there");
    const home = temporaryFolder();
    const create = (task: string, base?: string) =>
      createWorktree({ repository: clone.root, home, project: "p", task, base });
    const before = [clone.git("rev-parse", "HEAD"), clone.git("for-each-ref", "refs/heads"), clone.git("tag")];

    const first = await create("a");
    expect(first.record).toMatchObject({ base_commit: newer, base_branch: "main" });
    expect(first.notices).toEqual(["began at origin/main, which is ahead of main"]);
    expect((await create("b", "origin/main")).record).toMatchObject({ base_commit: newer, base_branch: "main" });
    expect((await create("c", "only-there")).record).toMatchObject({ base_commit: newer, base_branch: "" });
    expect([
      clone.git("rev-parse", "HEAD"),
      clone.git("for-each-ref", "refs/heads/main").slice(0, 40),
      clone.git("tag"),
    ]).toEqual([before[0], before[1]?.slice(0, 40), before[2]]);

    const mine = clone.commit("mine", { "b.txt": "b\n" });
    expect((await create("d")).record.base_commit).toBe(mine);

    rmSync(origin.root, { recursive: true });
    const offline = await create("e");
    expect(offline.record.base_commit).toBe(mine);
    expect(offline.notices.join()).toMatch(
      /^could not fetch main from origin, so this begins at what is here: git fetch: /,
    );
  });

  test("a folder that is gone comes back from its branch, with what was committed there", async () => {
    const { repository, create } = setUp();
    const { record } = await create();
    gitFolder(record.path).commit("work", { "work.txt": "done\n" });
    rmSync(record.path, { recursive: true });
    const again = await create();
    expect(again.how).toBe("recreated");
    expect(readFileSync(join(record.path, "work.txt"), "utf8")).toBe("done\n");
    expect(gitFolder(record.path).git("branch", "--show-current")).toBe("cox/fix-it");

    rmSync(record.path, { recursive: true });
    const elsewhere = join(temporaryFolder(), "elsewhere");
    repository.git("worktree", "prune");
    repository.git("worktree", "add", "-q", elsewhere, "cox/fix-it");
    await expect(create()).rejects.toMatchObject({ code: "workspace.conflict" });

    repository.git("worktree", "remove", elsewhere);
    repository.git("branch", "-D", "cox/fix-it");
    expect((await create()).how).toBe("created");
  });

  test("a folder in its place, or the same task in another repository, is refused", async () => {
    const { home, create } = setUp();
    mkdirSync(join(home, "worktrees/project/fix-it"), { recursive: true });
    await expect(create()).rejects.toMatchObject({ code: "workspace.conflict" });
    rmSync(join(home, "worktrees/project/fix-it"), { recursive: true });
    await create();
    await expect(create({ repository: gitRepository().root })).rejects.toMatchObject({ code: "workspace.conflict" });
  });

  test("its files are not more private than the repository's", async () => {
    const { repository, create } = setUp();
    execFileSync("chmod", ["755", repository.root]);
    const umask = process.umask(0o077);
    try {
      const { record } = await create();
      expect(statSync(join(record.path, "readme.md")).mode & 0o777).toBe(0o644);
      expect(statSync(join(record.path, "..", ".fix-it.json")).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(umask);
    }
  });
});

describe("ignored files taken along", () => {
  test("those that fit a pattern, at any depth; nothing that is tracked or merely new", async () => {
    const { repository, create } = setUp({ ".gitignore": ".env\n*.local\nsecrets/\n", "a.txt": "a\n" });
    repository.write({ ".env": "1\n", "sub/.env": "2\n", "x.local": "3\n", "secrets/a/key": "4\n", "new.txt": "5\n" });
    const { copied, record } = await create({ copy: [".env", "secrets/", "*.txt"] });
    expect(copied.sort()).toEqual([".env", "secrets/a/key", "sub/.env"]);
    expect(readFileSync(join(record.path, "sub/.env"), "utf8")).toBe("2\n");
    expect(gitFolder(record.path).git("status", "--porcelain")).toBe("");
    for (const pattern of ["../x", "/etc/passwd", ""]) {
      await expect(create({ task: "b", copy: [pattern] })).rejects.toMatchObject({ code: "config.invalid" });
    }
    expect(existsSync(join(record.path, "../b"))).toBe(false);
  });

  test("links that lead out are not taken along, and none is written through", async () => {
    const outside = temporaryFolder();
    writeFileSync(join(outside, "secret"), "x");
    const { repository, create } = setUp({ ".gitignore": ".env*\n" });
    symlinkSync(outside, join(repository.root, "config"));
    repository.commit("a link", {});
    rmSync(join(repository.root, "config"));
    repository.write({ "config/.env": "must not get out\n", ".env.real": "x\n" });
    symlinkSync(join(outside, "secret"), join(repository.root, ".env"));
    symlinkSync("../../somewhere", join(repository.root, ".env.up"));
    symlinkSync(".env.real", join(repository.root, ".env.inside"));
    const { copied, notices, record } = await create({ copy: [".env*"] });
    expect(copied.sort()).toEqual([".env.inside", ".env.real"]);
    expect(readlinkSync(join(record.path, ".env.inside"))).toBe(".env.real");
    expect(notices.sort()).toEqual([
      ".env was not copied: it is a link that leads out of the repository",
      ".env.up was not copied: it is a link that leads out of the repository",
      "config/.env was not copied: a link or a file is in the place of its folder",
    ]);
    expect(existsSync(join(outside, ".env"))).toBe(false);
  });
});

describe("scripts", () => {
  test("set-up runs in the worktree, heard while it runs; failing is said and not fatal", async () => {
    const { create, repository } = setUp();
    const heard: string[] = [];
    const { setup, record } = await create({
      setup: 'echo "$COX_BRANCH"; echo warn >&2; echo "$COX_REPOSITORY" > made; exit 3',
      onOutput: (chunk) => heard.push(chunk.toString()),
    });
    expect(setup).toEqual({ code: 3, stderr: "warn" });
    expect(heard.join("")).toContain("cox/fix-it\n");
    expect(readFileSync(join(record.path, "made"), "utf8")).toBe(`${realpathSync(repository.root)}\n`);
    const again = await create({ setup: "test -f made && echo again" });
    expect([again.how, again.setup?.code]).toEqual(["found", 0]);
    expect((await create({ setup: "exit 9" })).setup).toBeUndefined();
    const argv = await create({ task: "argv", setup: ["touch", "a b", "$HOME"] });
    expect(argv.notices).toEqual([]);
    expect(existsSync(join(argv.record.path, "$HOME"))).toBe(true);
  });
});

test("several processes that want the same worktree get one, ready", async () => {
  const { repository, home } = setUp();
  const program = join(temporaryFolder(), "create.mts");
  writeFileSync(
    program,
    `import { createWorktree } from ${JSON.stringify(join(import.meta.dirname, "worktree.ts"))};
    const { how, record } = await createWorktree({
      ...${JSON.stringify({ repository: repository.root, home, project: "project", task: "fix-it" })},
      setup: "sleep 0.3; touch ready-file",
    });
    console.log(how, record.ready);`,
  );
  const run = promisify(execFile);
  const args = ["--import", "tsx", program];
  const results = await Promise.all([1, 2, 3].map(() => run(process.execPath, args, { cwd: import.meta.dirname })));
  expect(results.map(({ stdout }) => stdout.trim()).sort()).toEqual(["created true", "found true", "found true"]);
  expect(repository.git("branch", "--list", "cox/*").split("\n").length).toBe(1);
});
