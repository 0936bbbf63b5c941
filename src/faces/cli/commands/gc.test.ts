import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { deepFolder } from "../../../../test/support/deep-folder.ts";
import { gitFolder, gitHome, gitRepository } from "../../../../test/support/git-repository.ts";
import { planGc } from "../../../core/runs/gc/plan.ts";
import { appendLedger, runsBackward } from "../../../core/store/ledger/ledger.ts";
import { findRun } from "../../../core/store/runs/find-run.ts";
import { takeCheckpoint } from "../../../core/workspaces/checkpoints/checkpoint.ts";
import { openWorkspace } from "../../../core/workspaces/checkpoints/workspace.ts";
import { createWorktree } from "../../../core/workspaces/worktrees/worktree.ts";
import type { CommandSpec } from "../../../lib/command/command.ts";
import { diskError } from "../../../lib/files/disk-error.ts";
import { TestHome, type TestRun } from "../testing/test-home.ts";
import gc from "./gc.ts";
import ls from "./ls.ts";

const disk = vi.hoisted(() => ({ stuck: "" }));
vi.mock("../../../lib/files/tree/remove-tree.ts", async (original) => {
  const { removeTree } = await original<typeof import("../../../lib/files/tree/remove-tree.ts")>();
  return {
    removeTree: (path: string) => {
      if (path === disk.stuck) throw diskError("delete", path, Object.assign(new Error("busy"), { code: "EBUSY" }));
      removeTree(path);
    },
  };
});

let home: TestHome;
beforeAll(() => {
  gitHome();
});
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

const cox = (spec: CommandSpec, ...args: string[]) => home.cox(spec, ...args);

/** The clock of the tests stands at 2026-08-01T12:00. */
const daysAgo = (days: number) => new Date(Date.parse("2026-08-01T12:00:00Z") - days * 86_400_000).toISOString();
const old = (days: number, fields = {}) =>
  home.addRun([], { start_time: daysAgo(days + 1), end_time: daysAgo(days), ...fields });
const there = (...runs: TestRun[]) => runs.map((run) => existsSync(run.paths.dir));
const listed = () => [...runsBackward(home.home)].map(({ run_id }) => run_id).toReversed();

describe("planGc", () => {
  const run = (run_id: string, age: number, bytes = 10) => ({
    run_id,
    project: "p",
    task: "t",
    endedAt: 1000 - age,
    bytes,
  });
  const runs = [run("a", 0), run("b", 10), run("c", 20, 100), run("d", 30), run("e", 40)];
  const cases: Record<string, [Parameters<typeof planGc>[1], string[]]> = {
    "no limit": [{}, []],
    "older than": [{ olderThanMs: 20 }, ["e old", "d old"]],
    "all but the newest two": [{ keep: 2 }, ["e count", "d count", "c count"]],
    "none kept": [{ keep: 0 }, ["e count", "d count", "c count", "b count", "a count"]],
    "until it fits; nothing older than what did not fit stays": [{ maxBytes: 50 }, ["e size", "d size", "c size"]],
    "all fits": [{ maxBytes: 140 }, []],
    "any limit is enough": [{ olderThanMs: 35, keep: 4, maxBytes: 119 }, ["e old", "d size", "c size"]],
  };
  test.each(Object.entries(cases))("%s", (_, [limits, expected]) => {
    const shuffled = [...runs.slice(2), ...runs.slice(0, 2)];
    expect(planGc(shuffled, limits, 1000).map(({ run, why }) => `${run.run_id} ${why}`)).toEqual(expected);
  });
});

describe("gc", () => {
  test("by default what ended more than 30 days ago, said in words and sizes", async () => {
    const runs = [old(40), old(31), old(29), old(0)];
    writeFileSync(runs[0]?.paths.output ?? "", "x".repeat(5000));
    const dry = await cox(gc, "--dry-run");
    expect(dry.err).toMatch(/^would delete 2 runs, [\d.]+ KB\n$/);
    expect([there(...runs), listed().length]).toEqual([[true, true, true, true], 4]);
    const { code, out, err } = await cox(gc);
    expect([code, there(...runs)]).toEqual([0, [false, false, true, true]]);
    expect(out.split("\n")[0]).toMatch(new RegExp(`^${runs[0]?.id} +40d ago +\\d+ KB +proj/task$`));
    expect(err).toMatch(/^deleted 2 runs, /);
    expect(listed()).toEqual([runs[2]?.id, runs[3]?.id]);
    expect(() => findRun(home.home, runs[0]?.id ?? "")).toThrow("there is no such run");
    expect((await cox(ls, "--json")).out.split("\n").length).toBe(3);
    expect((await cox(gc)).err).toBe("deleted 0 runs, 0 B\n");
  });

  test("a home that is nested deeper than a path can name goes like any other", async () => {
    const runs = [old(42), old(41), old(40)];
    mkdirSync(join(runs[1]?.paths.dir ?? "", "home"));
    deepFolder(join(runs[1]?.paths.dir ?? "", "home"));
    expect((await cox(gc, "--dry-run")).err).toMatch(/^would delete 3 runs, /);
    expect([(await cox(gc)).code, there(...runs)]).toEqual([0, [false, false, false]]);
  });

  test("what can't be deleted is said, and keeps nothing else", async () => {
    const runs = [old(42), old(41), old(40)];
    const stuck = runs[1]?.paths.dir ?? "";
    disk.stuck = stuck;
    const { code, err } = await cox(gc);
    expect([code, there(...runs)]).toEqual([1, [false, true, false]]);
    expect(err).toMatch(/^deleted 2 runs, .*\nnot deleted: delete: .*something uses it \(EBUSY\); .*\n$/);
    disk.stuck = "";
    expect([(await cox(gc)).code, there(...runs)]).toEqual([0, [false, false, false]]);
  });

  test("the rest of a task whose deletion was cut off goes too", async () => {
    old(1);
    const rest = join(home.root, "projects", "proj", ".deleted-task-0badcafe");
    mkdirSync(join(rest, "runs"), { recursive: true });
    expect([(await cox(gc)).code, existsSync(rest)]).toEqual([0, false]);
  });

  test("a file of holes doesn't count as what it claims to be", async () => {
    const runs = [old(3), old(2), old(1)];
    const holes = join(runs[2]?.paths.dir ?? "", "holes");
    writeFileSync(holes, "");
    truncateSync(holes, 100 * 1024 ** 3);
    expect((await cox(gc, "--max-size", "1G")).err).toBe("deleted 0 runs, 0 B\n");
    expect(there(...runs)).toEqual([true, true, true]);
  });

  test("by number and by size; as JSON", async () => {
    const runs = [old(3), old(2), old(1)];
    const { out } = await cox(gc, "--keep", "2", "--json");
    expect(JSON.parse(out)).toMatchObject({
      dry_run: false,
      runs: [{ run_id: runs[0]?.id, why: "count" }],
      worktrees: [],
    });
    await cox(gc, "--max-size", "0.001K");
    expect(there(...runs)).toEqual([false, false, false]);
    for (const args of [["--keep", "x"], ["--max-size", "5 apples"], ["--older-than", "soon"], ["what"]]) {
      await expect(cox(gc, ...args)).rejects.toMatchObject({ code: "usage.invalid" });
    }
  });

  test("never a live run; a lost one is ended first, and may go", async () => {
    const live = await home.addLiveRun([], { start_time: daysAgo(90) });
    const lost = home.addLostRun();
    await cox(gc, "--keep", "0");
    expect(there(live, lost)).toEqual([true, false]);
  });

  test("a deletion that was cut off is finished; a missing directory is no run", async () => {
    const [cut, missing, kept] = [old(1), old(1), old(1)];
    appendLedger(home.home, { type: "gone", run_id: cut.id, at: daysAgo(0) });
    rmSync(missing.paths.dir, { recursive: true });
    await cox(gc, "--keep", "5");
    expect([there(cut, missing, kept), listed()]).toEqual([[false, false, true], [kept.id]]);
  });

  test("a task that was only its runs goes with them; a person's own stays", async () => {
    old(40);
    const own = old(40, { project_id: "own" });
    writeFileSync(join(own.paths.dir, "../../task.yaml"), 'title: "t"\nprompt: "p"\nworkspace: "/work"\n');
    await cox(gc);
    expect(readdirSync(join(home.root, "projects/proj"))).toEqual([]);
    expect(existsSync(join(home.root, "projects/own/task/task.yaml"))).toBe(true);

    old(40);
    writeFileSync(join(own.paths.dir, "../../task.yaml"), "no task at all");
    expect((await cox(gc)).err).toContain("task proj/task stays: task file ");
  });
});

describe("gc and git", () => {
  async function worktreeRun() {
    const repository = gitRepository();
    const { record } = await createWorktree({
      home: home.root,
      project: "proj",
      task: "task",
      repository: repository.root,
      now: () => Date.parse(daysAgo(41)),
    });
    return { repository, record, run: old(40, { cwd: record.path }), tree: gitFolder(record.path) };
  }

  test("checkpoints go with their run, others stay", async () => {
    const { repository, record, run } = await worktreeRun();
    const young = old(1, { cwd: record.path });
    const workspace = await openWorkspace(record.path, home.root);
    if (workspace === undefined) throw new Error("not a repository");
    for (const { id } of [run, young]) await takeCheckpoint(workspace, id, 0);
    await cox(gc);
    expect(repository.git("for-each-ref", "--format=%(refname)", "refs/cox")).toBe(`refs/cox/${young.id}/0`);
    expect(existsSync(record.path)).toBe(true);
  });

  test("a worktree without runs goes, with its branch; one with work stays unless forced", async () => {
    const { repository, record, tree } = await worktreeRun();
    tree.commit("work", { "work.txt": "x\n" });
    const dry = await cox(gc, "--dry-run");
    expect(dry.err).toContain("kept the worktree of proj/task: 0 uncommitted files, 1 unmerged commits");
    const { err } = await cox(gc);
    expect(err).toContain("kept the worktree of proj/task");
    expect(err).toContain("1 unmerged commit on cox/task");
    expect(existsSync(join(record.path, "work.txt"))).toBe(true);
    // The run is gone by now, the work is still looked after.
    expect((await cox(gc)).err).toContain("kept the worktree of proj/task");
    expect((await cox(gc, "--dry-run", "--force")).err).toContain("and 1 worktree");
    expect((await cox(gc, "--force")).err).toMatch(/deleted 0 runs and 1 worktree, [\d.]+ /);
    expect(existsSync(record.path)).toBe(false);
    expect(repository.git("branch", "--list", "cox/*")).toBe("");
    expect(existsSync(join(repository.root, "readme.md"))).toBe(true);
  });

  test("before a worktree goes, what the person set is run in it; that it failed is said", async () => {
    const { record } = await worktreeRun();
    const mark = join(home.root, "torn-down");
    writeFileSync(join(home.root, "config.yaml"), `worktree.teardown: "pwd > ${mark}; exit 3"\n`);
    await cox(gc, "--dry-run");
    expect(existsSync(mark)).toBe(false);
    const { err } = await cox(gc);
    expect(readFileSync(mark, "utf8")).toBe(`${record.path}\n`);
    expect(err).toContain("exit code 3");
  });

  test("one that was just made, or whose task runs, is left alone", async () => {
    const repository = gitRepository();
    const make = (task: string, at: string) =>
      createWorktree({
        home: home.root,
        project: "proj",
        task,
        repository: repository.root,
        now: () => Date.parse(at),
      });
    const fresh = await make("fresh", daysAgo(0));
    const working = await make("task", daysAgo(50));
    await home.addLiveRun([], { cwd: working.record.path });
    await cox(gc, "--keep", "0", "--force");
    expect([fresh, working].map(({ record }) => existsSync(record.path))).toEqual([true, true]);
  });

  test("what was kept of folders that are gone is forgotten", async () => {
    const { root } = gitRepository();
    await openWorkspace(root, home.root);
    mkdirSync(join(home.root, "checkpoints/not-ours"));
    expect(readdirSync(join(home.root, "checkpoints")).length).toBe(2);
    rmSync(root, { recursive: true });
    await cox(gc);
    expect(readdirSync(join(home.root, "checkpoints"))).toEqual(["not-ours"]);
  });
});
