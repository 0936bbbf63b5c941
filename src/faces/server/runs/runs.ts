import { AppError } from "../../../contract/errors.ts";
import { runName } from "../../../contract/ids.ts";
import { isImported } from "../../../contract/runs/imported.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import type { Home } from "../../../core/store/home.ts";
import { isClaimed } from "../../../core/store/runs/claims.ts";
import type { FoundRun } from "../../../core/store/runs/find-run.ts";
import { readRunInfo } from "../../../core/store/runs/run-info.ts";
import { RunFolds } from "./run-fold.ts";
import { RunIndex } from "./run-index.ts";

/** A run that somebody named, with its record. */
export interface KnownRun {
  run: FoundRun;
  info: RunInfo;
}

/** The runs of a home, as routes look at them. */
export class Runs {
  readonly home: Home;
  readonly index: RunIndex;
  readonly folds = new RunFolds();

  constructor(home: Home) {
    this.home = home;
    this.index = new RunIndex(home);
  }

  require(runId: string): KnownRun {
    const run = this.index.require(runId);
    const info = readRunInfo(run.paths.info);
    if (info !== undefined) return { run, info };
    throw new AppError(
      "run.not_found",
      `run ${runName(run)}: its directory is gone; only its line in the list is left`,
    );
  }

  /** Whether it has a host, as far as anybody knows. */
  isLive({ info }: KnownRun): boolean {
    return info.status === "running" && isClaimed(this.home, info.run_id);
  }

  /** The run that went on with this one's conversation, if any did. */
  next(runId: string): KnownRun | undefined {
    for (const { run_id: next } of this.index.nextOf(runId).toReversed()) {
      const run = this.index.get(next);
      const info = run && readRunInfo(run.paths.info);
      if (run !== undefined && info?.resumes === runId && !isImported(info)) return { run, info };
    }
    return undefined;
  }

  /** The last run of the same conversation: where it goes on. */
  latest(runId: string): KnownRun {
    let latest = this.require(runId);
    for (let next: KnownRun | undefined = latest; next !== undefined; next = this.next(next.info.run_id)) latest = next;
    return latest;
  }
}
