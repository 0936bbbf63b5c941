import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type GitRepository, gitHome, gitRepository } from "../../../../test/support/git-repository.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { deleteCheckpoints, type TakenCheckpoint, takeCheckpoint } from "./checkpoint.ts";
import { forgetSeen } from "./shadow.ts";
import { openWorkspace } from "./workspace.ts";

const RUN = "20260101-0000000000-0000001-0001";
const trace = join(temporaryFolder(), "trace");
beforeAll(() => {
  appendFileSync(join(gitHome(), ".gitconfig"), `[trace2]\n\tnormalTarget = ${trace}\n`);
});

/** One run's checkpoints, one after the other, as a host takes them. */
async function checkpoints(repository: GitRepository, home = temporaryFolder()) {
  const workspace = await openWorkspace(repository.root, home);
  if (workspace === undefined) throw new Error("not a repository");
  let before: TakenCheckpoint | undefined;
  return async () => {
    before = await takeCheckpoint(workspace, RUN, (before?.n ?? -1) + 1, { before });
    return before;
  };
}

const processes = () => readFileSync(trace, "utf8").match(/ start /g)?.length ?? 0;

async function counted(work: () => Promise<unknown>): Promise<number> {
  const before = processes();
  await work();
  return processes() - before;
}

describe("git processes", () => {
  test("of a turn that changed nothing: three; that changed something: six", async () => {
    const repository = gitRepository({ ".gitignore": "*.log\n", "a.txt": "a\n" });
    const take = await checkpoints(repository);
    expect(await counted(take)).toBe(8);
    expect(await counted(take)).toBe(3);
    repository.write({ "a.txt": "changed\n", "new.txt": "new\n" });
    expect(await counted(take)).toBe(6);
    expect(await counted(take)).toBe(3);
  });

  test("of a folder without a repository: none", async () => {
    const folder = temporaryFolder();
    expect(await counted(() => openWorkspace(folder, temporaryFolder()))).toBe(0);
  });
});

describe("what is remembered of an index", () => {
  const filesOf = (repository: GitRepository, { commit }: TakenCheckpoint) =>
    repository.git("ls-tree", "-r", "--name-only", commit).split("\n");

  test("an unchanged turn has the commit of the one before, and a ref of its own", async () => {
    const repository = gitRepository({ "a.txt": "a\n" });
    const take = await checkpoints(repository);
    const [first, second] = [await take(), await take()];
    expect(second.commit).toBe(first.commit);
    expect(repository.git("rev-parse", `refs/cox/${RUN}/1`)).toBe(first.commit);
  });

  test("not so when HEAD moved over the same files", async () => {
    const repository = gitRepository({ "a.txt": "a\n" });
    const take = await checkpoints(repository);
    const first = await take();
    repository.git("commit", "-q", "--allow-empty", "-m", "moved");
    expect((await take()).commit).not.toBe(first.commit);
  });

  test("a tracked file that is ignored is taken again when it went and came back", async () => {
    const repository = gitRepository({ "kept.log": "1\n", "a.txt": "a\n" });
    repository.commit("ignore", { ".gitignore": "*.log\n" });
    const take = await checkpoints(repository);
    await take();
    rmSync(join(repository.root, "kept.log"));
    expect(filesOf(repository, await take())).not.toContain("kept.log");
    repository.write({ "kept.log": "2\n" });
    expect(filesOf(repository, await take())).toContain("kept.log");
  });

  test("one that the person adds although it is ignored is taken from then on", async () => {
    const repository = gitRepository({ ".gitignore": "*.log\n", "a.txt": "a\n" });
    repository.write({ "x.log": "x\n" });
    const take = await checkpoints(repository);
    expect(filesOf(repository, await take())).not.toContain("x.log");
    repository.git("add", "-f", "x.log");
    expect(filesOf(repository, await take())).toContain("x.log");
  });

  test("what git has cleaned up with a deleted run is written again", async () => {
    const repository = gitRepository({ "a.txt": "a\n" });
    repository.write({ "b.txt": "b\n" });
    const home = temporaryFolder();
    const first = await (await checkpoints(repository, home))();
    await deleteCheckpoints(repository.root, RUN);
    forgetSeen(home, repository.root);
    repository.git("prune", "--expire=now");
    const again = await (await checkpoints(repository, home))();
    expect(again.tree).toBe(first.tree);
    expect(repository.git("show", `${again.commit}:b.txt`)).toBe("b");
  });

  test("a tree that is gone is written again, whoever took its ref away", async () => {
    const repository = gitRepository({ "a.txt": "a\n" });
    repository.write({ "same.txt": "a\n" }); // its content stays in the repository, its folder doesn't
    const home = temporaryFolder();
    const first = await (await checkpoints(repository, home))();
    await deleteCheckpoints(repository.root, RUN);
    repository.git("prune", "--expire=now");
    expect(() => repository.git("cat-file", "-e", first.tree)).toThrow();
    const again = await (await checkpoints(repository, home))();
    expect(again.tree).toBe(first.tree);
  });
});
