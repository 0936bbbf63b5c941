import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type GitRepository, gitFolder, gitHome, gitRepository } from "../../../../test/support/git-repository.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { runName } from "../../../contract/ids.ts";
import { takeCheckpoint } from "../../../core/workspaces/checkpoints/checkpoint.ts";
import { openWorkspace } from "../../../core/workspaces/checkpoints/workspace.ts";
import { createWorktree } from "../../../core/workspaces/worktrees/worktree.ts";
import { type CommandSpec, runCommand } from "../../../lib/command/command.ts";
import { testContext } from "../testing/test-context.ts";
import { TestHome } from "../testing/test-home.ts";
import diff from "./diff.ts";
import merge from "./merge.ts";
import undo from "./undo.ts";

let home: TestHome;
beforeAll(() => {
  gitHome();
});
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

async function cox(spec: CommandSpec, args: string[], options: { tty?: boolean; type?: string } = {}) {
  const context = testContext({ env: home.env, tty: options.tty === true });
  if (options.type !== undefined) context.stdin.push(options.type);
  const code = await runCommand(spec, args, context);
  return { code, out: context.out(), err: context.err() };
}

const plain = (text: string) => text.replace(/\x1b\[\d+m/g, "");

/** A finished run of three turns: a.txt is changed, then made.txt made, then gone.txt deleted. */
async function threeTurns(fields: { status?: "running" } = {}) {
  const repository = gitRepository({ "a.txt": "one\n", "gone.txt": "x\n" });
  const run =
    fields.status === "running"
      ? await home.addLiveRun([], { cwd: repository.root })
      : home.addRun([], { cwd: repository.root });
  const workspace = await openWorkspace(repository.root, home.root);
  if (workspace === undefined) throw new Error("not a repository");
  const take = (n: number) => takeCheckpoint(workspace, run.id, n);
  await take(0);
  repository.write({ "a.txt": "two\n" });
  await take(1);
  repository.write({ "made.txt": "made\n" });
  await take(2);
  rmSync(join(repository.root, "gone.txt"));
  await take(3);
  return { repository, run };
}

const files = ({ root }: GitRepository) =>
  Object.fromEntries(
    ["a.txt", "made.txt", "gone.txt", "mine.txt"].map((name) => [
      name,
      existsSync(join(root, name)) ? readFileSync(join(root, name), "utf8") : null,
    ]),
  );
const before = { "a.txt": "one\n", "made.txt": null, "gone.txt": "x\n", "mine.txt": null };
const after = { "a.txt": "two\n", "made.txt": "made\n", "gone.txt": null, "mine.txt": null };

describe("diff", () => {
  test("what a run changed, as a patch that git takes; not what came after", async () => {
    const { repository, run } = await threeTurns();
    repository.write({ "a.txt": "mine\n", "later.txt": "mine\n" });
    const { code, out } = await cox(diff, [run.id]);
    expect(code).toBe(0);
    expect(out.match(/^diff --git .*$/gm)).toEqual([
      "diff --git a/a.txt b/a.txt",
      "diff --git a/gone.txt b/gone.txt",
      "diff --git a/made.txt b/made.txt",
    ]);
    repository.write({ "a.txt": "two\n" });
    execFileSync("git", ["apply", "-R"], { cwd: repository.root, input: out });
    expect(files(repository)).toEqual(before);
  });

  test("one turn; only the figures; as JSON", async () => {
    const { run } = await threeTurns();
    expect((await cox(diff, [run.id, "--turn", "2"])).out).toContain("+made\n");
    const stat = await cox(diff, [run.id, "--stat"]);
    expect(stat.out).toBe("modify  +1 −1  a.txt\ndelete  +0 −1  gone.txt\ncreate  +1 −0  made.txt\n");
    expect(stat.err).toBe("3 files, +2 −2\n");
    const json = JSON.parse((await cox(diff, ["latest", "--json", "--turn", "3"])).out) as Record<string, unknown>;
    expect(json).toMatchObject({ run_id: run.id, turn: 3, summary: "1 file, +0 −1", files: [{ path: "gone.txt" }] });
    for (const turn of ["0", "9", "x"]) {
      await expect(cox(diff, [run.id, "--turn", turn])).rejects.toMatchObject({ code: "usage.invalid" });
    }
  });

  test("of a live run: what is there now", async () => {
    const { repository, run } = await threeTurns({ status: "running" });
    repository.write({ "now.txt": "now\n" });
    expect((await cox(diff, [run.id, "--stat"])).out).toContain("now.txt");
  });

  test("on a terminal nothing in it is obeyed", async () => {
    const { repository, run } = await threeTurns();
    const workspace = await openWorkspace(repository.root, home.root);
    repository.write({ "a.txt": "\x1b]52;c;evil\x07\n" });
    if (workspace !== undefined) await takeCheckpoint(workspace, run.id, 4);
    const { out, err } = await cox(diff, [run.id], { tty: true });
    expect(out).toContain("\\x1b]52;c;evil\\x07");
    expect(plain(out)).not.toContain("\x1b");
    expect(err).toBe("3 files, +2 −2\n");
  });

  test("without checkpoints it is what is uncommitted; without a repository nobody knows", async () => {
    const repository = gitRepository();
    repository.write({ "new.txt": "new\n" });
    home.addRun([], { cwd: repository.root });
    const { out, err } = await cox(diff, ["latest"]);
    expect(out).toContain("+new\n");
    expect(err).toContain("no checkpoints of this run");
    home.addRun([], { cwd: temporaryFolder() });
    await expect(cox(diff, ["latest"])).rejects.toMatchObject({ code: "workspace.invalid" });
    home.addRun([], { cwd: "/nowhere" });
    await expect(cox(diff, ["latest"])).rejects.toThrow("its folder /nowhere is gone");
  });
});

describe("undo", () => {
  test("all of a run, and back again", async () => {
    const { repository, run } = await threeTurns();
    const { code, out, err } = await cox(undo, [run.id, "--yes"]);
    expect([code, files(repository)]).toEqual([0, before]);
    expect(out).toContain("delete  +0 −1  made.txt\n");
    const { root } = repository;
    expect(err).toBe(`restored 2 files, deleted 1 in ${root}; back: cox undo ${runName(run.info)} --redo\n`);
    expect((await cox(undo, [run.id, "--yes"])).err).toMatch(`nothing to do in ${root}: `);
    const nothing = JSON.parse((await cox(undo, [run.id, "--yes", "--json"])).out) as Record<string, unknown>;
    expect(nothing).toEqual({ run_id: run.id, folder: root, restored: [], deleted: [], left: [] });
    const { err: redone } = await cox(undo, [run.id, "--redo", "--yes"]);
    expect(redone).toBe(`restored 2 files, deleted 1 in ${root}\n`);
    expect(files(repository)).toEqual(after);
    await expect(cox(undo, [run.id, "--redo", "--yes"])).rejects.toMatchObject({ code: "usage.invalid" });
    const json = JSON.parse((await cox(undo, [run.id, "--turn", "2", "-y", "--json"])).out) as Record<string, unknown>;
    expect(json).toMatchObject({ run_id: run.id, restored: ["gone.txt"], deleted: [], left: [] });
    expect(files(repository)).toEqual({ ...after, "gone.txt": "x\n" });
  });

  test("asks on a terminal; only a yes is a yes", async () => {
    const { repository, run } = await threeTurns();
    expect((await cox(undo, [run.id], { tty: true, type: "n\n" })).code).toBe(1);
    expect((await cox(undo, [run.id], { tty: true, type: "\n" })).code).toBe(1);
    expect(files(repository)).toEqual(after);
    const yes = await cox(undo, [run.id], { tty: true, type: "y\n" });
    expect(yes.err).toContain(`Change these files in ${repository.root} (3 files, +2 −2)? [y/N]`);
    expect([yes.code, files(repository)]).toEqual([0, before]);
  });

  test("refuses without a terminal or a yes, while anybody works there, and without checkpoints", async () => {
    const { repository, run } = await threeTurns();
    await expect(cox(undo, [run.id])).rejects.toMatchObject({ code: "usage.invalid" });
    await expect(cox(undo, [run.id, "--turn", "1", "--redo"])).rejects.toMatchObject({ code: "usage.invalid" });
    const live = await home.addLiveRun([], { cwd: repository.root });
    await expect(cox(undo, [run.id, "--yes"])).rejects.toMatchObject({ code: "workspace.busy" });
    await expect(cox(undo, [live.id, "--yes"])).rejects.toMatchObject({ code: "workspace.invalid" });
    expect(files(repository)).toEqual(after);
  });

  test("says what stays: commits, and files it can't put back", async () => {
    const { repository, run } = await threeTurns();
    const head = repository.git("rev-parse", "HEAD");
    repository.commit("by the agent");
    const workspace = await openWorkspace(repository.root, home.root);
    if (workspace === undefined) throw new Error("not a repository");
    await takeCheckpoint(workspace, run.id, 4);
    const { err } = await cox(undo, [run.id, "--yes"]);
    expect(err).toContain(`git -C ${repository.root} reset ${head.slice(0, 12)}`);
  });

  test("leaves what others did: files made since stay, files edited since are refused or merged", async () => {
    const { repository, run } = await threeTurns();
    repository.write({ "mine.txt": "mine\n" });
    await cox(undo, [run.id, "--yes"]);
    expect(files(repository)).toEqual({ ...before, "mine.txt": "mine\n" });
    await cox(undo, [run.id, "--redo", "--yes"]);
    repository.write({ "made.txt": "made, and mine\n" });
    const refused = expect.stringMatching(`undo in ${repository.root}: edited since the run: made.txt; nothing was`);
    await expect(cox(undo, [run.id, "--yes"])).rejects.toMatchObject({ code: "workspace.conflict", message: refused });
    await expect(cox(undo, [run.id, "--yes", "--merge"])).rejects.toMatchObject({ code: "workspace.conflict" });
    expect(files(repository)).toEqual({ ...after, "mine.txt": "mine\n", "made.txt": "made, and mine\n" });
  });

  test("says who else may have written meanwhile", async () => {
    const { repository, run } = await threeTurns();
    const other = home.addRun([], { cwd: repository.root });
    home.addRun([], { cwd: "/elsewhere" });
    const { err } = await cox(undo, [run.id, "--yes"]);
    expect(err).toMatch(`note: ${runName(other.info)} (demo) worked in ${repository.root} at the same time`);
    expect(err.match(/note:/g)).toHaveLength(1);
  });
});

describe("merge", () => {
  async function task() {
    const repository = gitRepository({ "a.txt": "one\n" });
    const names = { home: home.root, project: "proj", task: "task" };
    const { record } = await createWorktree({ ...names, repository: repository.root });
    const run = home.addRun([], { cwd: record.path });
    return { repository, tree: gitFolder(record.path), run };
  }

  test("by the task's name or a run's id, with what is uncommitted", async () => {
    const { repository, tree, run } = await task();
    tree.write({ "new.txt": "new\n" });
    await expect(cox(merge, ["task"])).rejects.toMatchObject({ code: "workspace.busy" });
    expect(await cox(merge, ["task", "-m", "New file"])).toMatchObject({
      code: 0,
      out: "cox/task is now in main: 1 commit, 1 file, +1 −0\n",
    });
    expect(repository.git("log", "-1", "--format=%s")).toBe("New file");
    tree.commit("two", { "a.txt": "two\n" });
    const { out } = await cox(merge, [run.id, "--merge", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ project: "proj", task: "task", into: "main", commits: 2 });
    expect(repository.git("log", "-1", "--format=%s")).toBe("Merge branch 'cox/task' into main");
  });

  test("conflicts: listed, or kept with what to tell the agent", async () => {
    const { repository, tree } = await task();
    tree.commit("theirs", { "a.txt": "theirs\n" });
    repository.commit("ours", { "a.txt": "ours\n" });
    await expect(cox(merge, ["task"])).rejects.toMatchObject({
      code: "workspace.conflict",
      message: expect.stringMatching(/conflicts in a.txt; .*--resolve lets the agent/) as string,
    });
    const { code, out, err } = await cox(merge, ["task", "--keep-conflicts"]);
    expect([code, err]).toEqual([1, `cox: conflicts in a.txt; they are left in ${tree.root}\n`]);
    expect(out).toContain("- a.txt\n");
    expect(readFileSync(join(tree.root, "a.txt"), "utf8")).toContain("<<<<<<<");
  });

  test("another branch; a task in one's own checkout; one that still runs", async () => {
    const { repository, tree } = await task();
    tree.commit("work", { "new.txt": "new\n" });
    repository.git("branch", "release");
    await cox(merge, ["task", "--into", "release"]);
    expect(repository.git("log", "-1", "--format=%s", "release")).toBe("work");
    await home.addLiveRun([], { cwd: tree.root });
    await expect(cox(merge, ["task"])).rejects.toMatchObject({ code: "workspace.busy" });
    home.addRun([], { project_id: "other" });
    await expect(cox(merge, ["other/task"])).rejects.toThrow("has no worktree");
    await expect(cox(merge, ["nothing"])).rejects.toThrow("no such task or run");
    await expect(cox(merge, ["task", "--rebase", "--merge"])).rejects.toMatchObject({ code: "usage.invalid" });
  });

  test("what a run did is still shown when its worktree is gone", async () => {
    const { repository, tree, run } = await task();
    const workspace = await openWorkspace(tree.root, home.root);
    if (workspace === undefined) throw new Error("not a repository");
    await takeCheckpoint(workspace, run.id, 0);
    writeFileSync(join(tree.root, "new.txt"), "new\n");
    await takeCheckpoint(workspace, run.id, 1);
    rmSync(tree.root, { recursive: true });
    expect((await cox(diff, [run.id, "--stat"])).out).toBe("create  +1 −0  new.txt\n");
    // Undone is only where it was done: never in the checkout the worktree came from.
    await expect(cox(undo, [run.id, "--yes"])).rejects.toThrow("is gone");
    expect(existsSync(join(repository.root, "new.txt"))).toBe(false);
  });
});
