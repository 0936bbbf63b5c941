import { closeSync, writeFileSync } from "node:fs";
import type { RunRequest } from "../../src/contract/runs/request.ts";
import { blankRunInfo, type RunInfo } from "../../src/contract/runs/run.ts";
import { postRunEnd, postRunStart } from "../../src/core/store/bus/lifecycle.ts";
import type { Home } from "../../src/core/store/home.ts";
import { releaseRun } from "../../src/core/store/runs/claims.ts";
import { createRunDirectory, type RunPaths } from "../../src/core/store/runs/run-directory.ts";
import { writeRunInfo } from "../../src/core/store/runs/run-info.ts";
import { readTaskFile, type TaskRef } from "../../src/core/store/task-file.ts";
import { openJournal } from "../../src/lib/files/journal-line.ts";
import { ourselves } from "../../src/lib/process/holders/holder.ts";

/** Runs without agents: directory, claim, run-info and bus records as a host leaves them. This process is the host. */
export class FakeRuns {
  readonly launched: RunRequest[] = [];
  readonly #home: Home;
  readonly #live = new Map<string, { info: RunInfo; paths: RunPaths }>();

  constructor(home: Home) {
    this.#home = home;
  }

  launch = async (request: RunRequest): Promise<string> => {
    this.launched.push(request);
    const { project = "", task = "" } = request.where;
    const file = await readTaskFile(this.#home, { project, task });
    const review = request.what.review ?? file?.policy.review;
    return this.start({ project, task }, { review, cwd: request.where.workspace ?? file?.workspace });
  };

  start(ref: TaskRef, { review = false, cwd = "/" }: { review?: boolean | "changes"; cwd?: string } = {}): string {
    const host = ourselves();
    const { runId, paths } = createRunDirectory(this.#home, ref, host);
    const info: RunInfo = {
      ...blankRunInfo,
      run_id: runId,
      project_id: ref.project,
      task_id: ref.task,
      agent: "demo",
      cwd,
      session_id: `session-${runId}`,
      host_pid: host.pid,
      host_start: host.start,
      boot_id: host.boot,
      pid_ns: host.namespace,
      output_path: paths.output,
    };
    writeRunInfo(paths.info, info);
    closeSync(openJournal(this.#home.ledger)); // they aren't in it, but where there are runs there is one
    postRunStart(this.#home, info, { review, resumed: false, title: "" }, 0);
    this.#live.set(runId, { info, paths });
    return runId;
  }

  /** The run ends, completed unless told otherwise. */
  end(runId: string, facts: Partial<RunInfo> = {}, output = ""): void {
    const run = this.#live.get(runId);
    if (run === undefined) throw new Error(`${runId} does not live`);
    this.#live.delete(runId);
    const info: RunInfo = { ...run.info, status: "completed", exit_code: 0, ...facts };
    writeFileSync(run.paths.output, output);
    writeRunInfo(run.paths.info, info);
    postRunEnd(this.#home, info, 0);
    releaseRun(this.#home, runId);
  }

  get live(): string[] {
    return [...this.#live.keys()];
  }
}
