import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { FakeRuns } from "../../../../test/support/fake-runs.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { AppError } from "../../../contract/errors.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { type Clock, systemClock } from "../../../lib/base/clock.ts";
import { ourselves } from "../../../lib/process/holders/holder.ts";
import { startTimeOf } from "../../../lib/process/holders/identity.ts";
import { readProgress } from "../../store/bus/lifecycle.ts";
import { type Home, openHome } from "../../store/home.ts";
import type { TaskRef } from "../../store/task-file.ts";
import { cancelTask, changeTask, dequeueTask, finishTask } from "../change.ts";
import { createTask } from "../create.ts";
import type { LaunchRun } from "../start.ts";
import { claimEntry, queueFolder, readEntries } from "./queue-entries.ts";
import { enqueueTask, queueLine } from "./queue-line.ts";
import { type QueueNews, workQueue } from "./queue-worker.ts";

const doing = { by: "ada", clock: systemClock };
let home: Home;
let runs: FakeRuns;

beforeEach(() => {
  home = openHome(temporaryFolder());
  runs = new FakeRuns(home);
});

interface Wish {
  project?: string;
  depends_on?: string[];
  priority?: number;
  onFailed?: "fail" | "skip" | "wait";
  workspace?: string;
  worktree?: object;
  sameCheckout?: boolean;
}

async function queued(task: string, wish: Wish = {}): Promise<TaskRef> {
  const ref = await made(task, wish);
  await enqueueTask(home, ref, doing);
  return ref;
}

function made(task: string, { project = "p", depends_on = [], priority = 0, onFailed = "fail", ...where }: Wish = {}) {
  const { workspace = `/work/${project}/${task}`, worktree, sameCheckout } = where;
  const policy = { on_failed_dependency: onFailed, same_checkout: sameCheckout };
  const rest = { workspace, worktree, limits: {}, created: "", by: "ada", version: 1 as const };
  return createTask(home, { project, task, title: task, prompt: task, depends_on, priority, policy, ...rest }, 0);
}

/** Works until nothing is left to do. Runs end by themselves, as `endings` says, unless somebody else ends them. */
async function work({
  maxConcurrent = 1,
  launch = runs.launch,
  endings = {},
  clock = systemClock,
  endRuns = true,
}: {
  maxConcurrent?: number;
  launch?: LaunchRun;
  endings?: Record<string, Partial<RunInfo> | undefined>;
  clock?: Clock;
  endRuns?: boolean;
} = {}): Promise<string[]> {
  const news: string[] = [];
  const report = (each: QueueNews) => {
    const { task, what } = each;
    news.push(`${task} ${what === "ended" ? each.state : what}`);
    if (what === "started" && endRuns) setImmediate(() => runs.end(each.runId, endings[task]));
  };
  const { signal } = new AbortController();
  await workQueue(home, { by: "queue", clock, limits: { maxConcurrent }, launch, signal, once: true, report });
  return news;
}

const stateOf = ({ project, task }: TaskRef) => readProgress(home, project, task).state;
const failed = { status: "failed", reason: "exit_code", exit_code: 1, error_summary: "broke" } as const;

describe("the queue", () => {
  test("is worked off in order, one at a time, and is empty then", async () => {
    for (const task of ["a", "b", "c"]) await queued(task);
    expect(await work()).toEqual(["a started", "a done", "b started", "b done", "c started", "c done"]);
    expect(readdirSync(queueFolder(home))).toEqual([]);
  });

  test("goes by priority, and takes turns between projects", async () => {
    await queued("a1");
    await queued("a2");
    await queued("b1", { project: "q" });
    await queued("top", { priority: 5 });
    const started = (await work()).filter((line) => line.endsWith("started"));
    expect(started).toEqual(["top started", "b1 started", "a1 started", "a2 started"]);
  });

  test("starts a task when what it depends on is done", async () => {
    await made("first");
    await queued("second", { depends_on: ["first"] });
    await enqueueTask(home, { project: "p", task: "first" }, doing);
    expect(await work({ maxConcurrent: 2 })).toEqual([
      "second blocked",
      "first started",
      "first done",
      "second started",
      "second done",
    ]);
  });

  test("leaves what is blocked by somebody outside, and goes on when that is done", async () => {
    const first = await made("first");
    const second = await queued("second", { depends_on: ["first"] });
    expect(await work()).toEqual(["second blocked"]);
    expect(stateOf(second)).toBe("blocked");
    expect(queueLine(home)).toMatchObject([
      { task: "second", status: "blocked", position: 0, reason: "waits for first" },
    ]);
    await finishTask(home, first, doing);
    expect(await work()).toEqual(["second started", "second done"]);
  });

  test.each([
    ["fail", "failed", "second failed"],
    ["skip", "cancelled", "second skipped"],
    ["wait", "blocked", "second blocked"],
  ] as const)("when a dependency failed, by policy: %s", async (onFailed, state, line) => {
    await queued("first");
    const second = await queued("second", { depends_on: ["first"], onFailed });
    const news = await work({ endings: { first: failed } });
    expect(news.slice(-2)).toEqual(["first failed", line]);
    expect(stateOf(second)).toBe(state);
    expect(readProgress(home, "p", "second").reason).toMatch(/first failed/);
  });

  test("never runs two in one checkout, unless they ask for it or have a worktree", async () => {
    const checkout = temporaryFolder();
    mkdirSync(join(checkout, ".git"));
    writeFileSync(join(checkout, ".git", "HEAD"), "ref: refs/heads/main\n");
    for (const folder of ["objects", "refs"]) mkdirSync(join(checkout, ".git", folder));
    mkdirSync(join(checkout, "sub"));
    await queued("a", { workspace: checkout });
    await queued("b", { workspace: join(checkout, "sub"), project: "q" });
    await queued("tree", { workspace: checkout, worktree: {} });
    await queued("beside", { workspace: checkout, sameCheckout: true });
    await queued("else", { workspace: temporaryFolder() });
    const alive = new Map<string, number>();
    let together = 0;
    const news = await work({
      maxConcurrent: 5,
      launch: async (request) => {
        const { task = "" } = request.where;
        const run = await runs.launch(request);
        alive.set(task, alive.size);
        together = Math.max(together, runs.live.length);
        return run;
      },
    });
    expect(together).toBe(4);
    expect(news.filter((line) => line.startsWith("b "))).toEqual(["b blocked", "b started", "b done"]);
    expect(news.indexOf("b started")).toBeGreaterThan(news.indexOf("a done"));
    expect(readProgress(home, "q", "b").state).toBe("done");
  });

  test("a task that can't be started fails, says why, and holds nobody up", async () => {
    await queued("bad");
    await queued("good");
    const launch: LaunchRun = (wish) =>
      wish.where.task === "bad"
        ? Promise.reject(new AppError("agent.not_installed", "not on PATH"))
        : runs.launch(wish);
    expect(await work({ launch })).toEqual(["bad failed", "good started", "good done"]);
    expect(readProgress(home, "p", "bad")).toMatchObject({ state: "failed", reason: "not on PATH" });
  });

  test("forgets what was cancelled, finished, dequeued or started by hand", async () => {
    await cancelTask(home, await queued("cancelled"), doing);
    await finishTask(home, await queued("finished"), doing);
    dequeueTask(home, await queued("dequeued"), doing);
    const byHand = await queued("by-hand");
    runs.start(byHand);
    // An entry whose task moved on in a moment when nobody could clear it.
    const late = await queued("late");
    changeTask(home, late, "cancel", doing);
    expect(await work({ endRuns: false })).toEqual([]);
    expect(readEntries(home)).toEqual([]);
    expect(runs.launched).toEqual([]);
  });

  test("takes a task once", async () => {
    const ref = await queued("a");
    await expect(enqueueTask(home, ref, doing)).rejects.toMatchObject({ code: "task.state" });
    expect(readEntries(home)).toHaveLength(1);
  });

  test("takes a task again whose entry was lost", async () => {
    const ref = await made("a");
    changeTask(home, ref, "enqueue", doing);
    expect(await enqueueTask(home, ref, doing)).toBe(1);
    expect(await work()).toEqual(["a started", "a done"]);
  });

  test("says each task's position", async () => {
    await queued("a1");
    await queued("a2");
    const b1 = await made("b1", { project: "q" });
    expect(await enqueueTask(home, b1, doing)).toBe(2);
    expect(queueLine(home).map(({ task, position }) => `${position} ${task}`)).toEqual(["1 a1", "2 b1", "3 a2"]);
  });

  test("passes over files that are no entries", async () => {
    await queued("a");
    writeFileSync(join(queueFolder(home), "note.txt"), "x");
    writeFileSync(join(queueFolder(home), "0001-ab.json"), "{");
    writeFileSync(join(queueFolder(home), "0002-ab.json"), '{"project":"..","task":"x"}');
    expect(await work()).toEqual(["a started", "a done"]);
  });
});

describe("several workers", () => {
  test("together never run more than the limit, and start nothing twice", async () => {
    const names = Array.from({ length: 12 }, (_, n) => `t${n}`);
    for (const name of names) await queued(name);
    let most = 0;
    const launch: LaunchRun = async (wish) => {
      const runId = await runs.launch(wish);
      most = Math.max(most, runs.live.length);
      return runId;
    };
    await Promise.all([1, 2, 3].map(() => work({ maxConcurrent: 2, launch })));
    expect(most).toBe(2);
    expect(runs.launched.map(({ where }) => where.task ?? "").toSorted()).toEqual(names.toSorted());
  });
});

describe("a worker that was killed", () => {
  /** A process that is no more. */
  async function deadWorker() {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    const identity = { ...ourselves(), pid, start: startTimeOf(pid) ?? "" };
    child.kill("SIGKILL");
    await once(child, "exit");
    return identity;
  }

  const hold = async (worker: Awaited<ReturnType<typeof deadWorker>>) => {
    for (const entry of readEntries(home)) expect(claimEntry(entry, worker)).toBeDefined();
  };
  const later: Clock = { ...systemClock, now: () => Date.now() + 60_000 };

  test("before it started anything: its entry is returned and started", async () => {
    await queued("a");
    await hold(await deadWorker());
    expect(await work({ clock: later })).toEqual(["a started", "a done"]);
  });

  test("a moment ago: a run that may just be starting is not started twice", async () => {
    const ref = await queued("a");
    await hold(await deadWorker());
    const working = work({ endRuns: false });
    const run = runs.start(ref);
    setImmediate(() => runs.end(run));
    expect(await working).toEqual(["a done"]);
    expect(runs.launched).toEqual([]);
  });

  test("while its run lives: the run goes on, counts, and its end is noticed", async () => {
    const first = await queued("a");
    await hold(await deadWorker());
    const run = runs.start(first);
    await queued("b");
    setTimeout(() => runs.end(run), 50);
    expect(await work({ clock: later })).toEqual(["a done", "b started", "b done"]);
  });

  test("a living worker's entry is left to it", async () => {
    await queued("a");
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    await hold({ ...ourselves(), pid, start: startTimeOf(pid) ?? "" });
    const working = work({ clock: later });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(runs.launched).toEqual([]);
    child.kill("SIGKILL");
    expect(await working).toEqual(["a started", "a done"]);
  });
});
