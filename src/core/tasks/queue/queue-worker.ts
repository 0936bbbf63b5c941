import { mkdirSync } from "node:fs";
import { AppError, messageOf } from "../../../contract/errors.ts";
import type { TaskState } from "../../../contract/tasks/task.ts";
import { Bell } from "../../../lib/base/bell.ts";
import { isGone, isOurselves, ourselves } from "../../../lib/process/holders/holder.ts";
import { readProgress } from "../../store/bus/lifecycle.ts";
import { taskExists } from "../../store/find-task.ts";
import type { Home } from "../../store/home.ts";
import { readTaskFile, type TaskRef, taskName } from "../../store/task-file.ts";
import { changeTask, type Doing } from "../change.ts";
import { dependencyStatuses, type Readiness, readiness } from "../dependencies.ts";
import { heal } from "../heal.ts";
import { type LaunchRun, startTask } from "../start.ts";
import { liveRuns } from "../task.ts";
import { checkoutOf, overlap } from "./checkout.ts";
import { pickNext, type QueueLimits } from "./queue.ts";
import {
  claimEntry,
  dropEntry,
  heldSince,
  type QueueEntry,
  queueFolder,
  readEntries,
  returnEntry,
} from "./queue-entries.ts";

/** What a worker tells of its work. */
export type QueueNews = TaskRef &
  (
    | { what: "started"; runId: string }
    | { what: "ended"; state: TaskState }
    | { what: "blocked" | "failed" | "skipped"; reason: string }
  );

export interface WorkerOptions extends Doing {
  limits: QueueLimits;
  launch: LaunchRun;
  /** Ends the work; runs that were started go on. */
  signal: AbortSignal;
  /** Return when nothing runs and nothing can be started, instead of waiting for more. */
  once: boolean;
  report(news: QueueNews): void;
}

/** A worker killed between claiming an entry and the first sign of its run leaves a host that may still be starting. */
const START_GRACE_MS = 10_000;

/**
 * Works the queue off. All it knows is on disk, so another worker takes over where this one ends, however it ends: an entry
 * that a dead worker held is returned, or kept as running while its run lives.
 */
export async function workQueue(home: Home, options: WorkerOptions): Promise<void> {
  const { signal, once } = options;
  const worker = new Worker(home, options);
  mkdirSync(queueFolder(home), { recursive: true, mode: 0o700 });
  // Before the first look, so that nothing is added or ends unnoticed.
  const bell = new Bell([queueFolder(home), home.hosts]);
  const ring = () => bell.ring();
  signal.addEventListener("abort", ring);
  try {
    while (!signal.aborted) {
      const running = await worker.round();
      if (once && running === 0) return;
      await bell.rung();
    }
  } finally {
    signal.removeEventListener("abort", ring);
    bell.close();
  }
}

class Worker {
  readonly #home: Home;
  readonly #options: WorkerOptions;
  /** Entries whose runs this worker has started. */
  readonly #started = new Set<string>();
  /** Projects of the latest starts: whose turn it was. */
  #recent: string[] = [];

  constructor(home: Home, options: WorkerOptions) {
    this.#home = home;
    this.#options = options;
  }

  /** One look at everything, and all that can be started now. Returns how many run. */
  async round(): Promise<number> {
    await heal(this.#home, this.#options.clock);
    const entries = readEntries(this.#home);
    const running: PlacedEntry[] = [];
    for (const entry of entries) {
      if (entry.holder !== undefined && this.#isRunning(entry)) running.push(await this.#placed(entry));
    }
    const ready: PlacedEntry[] = [];
    for (const entry of readEntries(this.#home)) {
      if (entry.holder === undefined && (await this.#isReady(entry, running))) ready.push(await this.#placed(entry));
    }
    for (;;) {
      const free = ready.filter((entry) => besideWhom(entry, running) === undefined);
      const next = pickNext(free, running, this.#recent, this.#options.limits);
      if (next === undefined || this.#options.signal.aborted) return running.length;
      ready.splice(ready.indexOf(next), 1);
      const started = await this.#start(next);
      if (started === "full") return running.length;
      if (started === "running") running.push(next);
    }
  }

  /** Of an entry that a worker has taken: whether its run lives. What is over is cleared away. */
  #isRunning(entry: QueueEntry): boolean {
    if (liveRuns(this.#home, entry).length > 0) return true;
    const { holder } = entry;
    if (holder === undefined) return false;
    const gone = isGone(holder);
    if (!gone && !isOurselves(holder)) return true; // another worker's to judge
    const { state } = readProgress(this.#home, entry.project, entry.task);
    if (state !== "queued") {
      if (dropEntry(entry)) this.#tell(entry, { what: "ended", state });
      return false;
    }
    if (this.#started.delete(entry.order)) {
      this.#giveUp(entry, "fail", "its run ended without a record on the bus");
      return false;
    }
    if (gone && this.#options.clock.now() - heldSince(entry) < START_GRACE_MS) return true;
    returnEntry(entry);
    return false;
  }

  async #placed(entry: QueueEntry): Promise<PlacedEntry> {
    const file = await readTaskFile(this.#home, entry);
    return { ...entry, checkout: file && checkoutOf(file) };
  }

  async #isReady(entry: QueueEntry, running: readonly PlacedEntry[]): Promise<boolean> {
    const { state, reason } = readProgress(this.#home, entry.project, entry.task);
    const file = taskExists(this.#home, entry) ? await readTaskFile(this.#home, entry) : undefined;
    // Started, ended or deleted by somebody meanwhile.
    if (file === undefined || (state !== "queued" && state !== "blocked")) {
      dropEntry(entry);
      return false;
    }
    const dependencies = dependencyStatuses(this.#home, entry.project, file);
    const ready = orWait(readiness(dependencies, file.policy.on_failed_dependency), {
      other: besideWhom({ ...entry, checkout: checkoutOf(file) }, running),
    });
    switch (ready.do) {
      case "start":
        if (state === "blocked") this.#change(entry, "unblock");
        return true;
      case "wait":
        if ((state === "queued" || reason !== ready.reason) && this.#change(entry, "block", ready.reason)) {
          this.#tell(entry, { what: "blocked", reason: ready.reason });
        }
        return false;
      default:
        this.#giveUp(entry, ready.do, ready.reason);
        return false;
    }
  }

  async #start(entry: PlacedEntry): Promise<"running" | "full" | "not started"> {
    const mine = claimEntry(entry, ourselves());
    if (mine === undefined) return "not started";
    // Another worker may have claimed one at the same moment. Whoever sees both gives way, so the limits always hold.
    const taken = readEntries(this.#home).filter(({ holder }) => holder !== undefined);
    const beside = besideWhom(entry, await Promise.all(taken.map((other) => this.#placed(other))));
    if (taken.length > this.#options.limits.maxConcurrent || beside !== undefined) {
      returnEntry(mine);
      await this.#options.clock.sleep(Math.random() * 200, this.#options.signal);
      return "full";
    }
    try {
      const runId = await startTask(this.#home, entry, this.#options, this.#options.launch);
      this.#started.add(entry.order);
      this.#recent = [...this.#recent.filter((project) => project !== entry.project), entry.project];
      this.#tell(entry, { what: "started", runId });
      return "running";
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Somebody started or cancelled it at the same moment: nothing of ours failed.
      if (error.code === "task.state") dropEntry(mine);
      else this.#giveUp(mine, "fail", messageOf(error));
      return "not started";
    }
  }

  /** It will not run: said on the task, and out of the queue. */
  #giveUp(entry: QueueEntry, cause: "fail" | "skip", reason: string): void {
    dropEntry(entry);
    if (!this.#change(entry, cause, reason)) return;
    this.#tell(entry, { what: cause === "fail" ? "failed" : "skipped", reason });
  }

  /** `false` when somebody was first: a person cancelled it, or another worker said the same. */
  #change(entry: QueueEntry, cause: "block" | "unblock" | "fail" | "skip", reason?: string): boolean {
    try {
      changeTask(this.#home, entry, cause, { ...this.#options, reason });
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === "task.state") return false;
      throw error;
    }
  }

  #tell({ project, task }: QueueEntry, news: DistributiveOmit<QueueNews, "project" | "task">): void {
    this.#options.report({ project, task, ...news });
  }
}

/** With the files that it is worked on, as far as others must not. */
interface PlacedEntry extends QueueEntry {
  checkout: string | undefined;
}

/** Who works on the same files. */
const besideWhom = (entry: PlacedEntry, others: readonly PlacedEntry[]): PlacedEntry | undefined =>
  others.find((other) => other.order !== entry.order && overlap(other.checkout, entry.checkout));

const orWait = (ready: Readiness, { other }: { other: TaskRef | undefined }): Readiness =>
  ready.do === "start" && other !== undefined
    ? { do: "wait", reason: `waits for ${taskName(other)}, which works in the same checkout` }
    : ready;

type DistributiveOmit<T, K extends keyof T> = T extends unknown ? Omit<T, K> : never;
