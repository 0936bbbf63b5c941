import { messageOf } from "../../../contract/errors.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import { postRunEnd } from "../../store/bus/lifecycle.ts";
import { takeIsolatedOutput } from "../../store/events/isolated-output.ts";
import { ensureOutput } from "../../store/events/output.ts";
import type { Home } from "../../store/home.ts";
import { taskFolder } from "../../store/home.ts";
import { appendLedger, endRecord } from "../../store/ledger/ledger.ts";
import { releaseRun } from "../../store/runs/claims.ts";
import type { RunPaths } from "../../store/runs/run-directory.ts";
import { writeRunInfo } from "../../store/runs/run-info.ts";
import type { Tally } from "../limits/tally.ts";
import type { Verdict } from "./verdict.ts";

/**
 * The end of a run on disk, in an order that survives a crash at any point: log, output.md, run-info, ledger; the claim goes
 * last. A step that fails (a full disk) doesn't stop the next: the claim stays then, and the next `cox` finishes the record.
 */
export function finishRun(
  run: { home: Home; runId: string; paths: RunPaths; clock: Clock; looped?: boolean; unchanged?: boolean },
  info: RunInfo,
  verdict: Verdict,
  tally: Tally,
  closeLog: () => void,
): RunInfo {
  const final: RunInfo = {
    ...info,
    end_time: new Date(run.clock.now()).toISOString(),
    status: verdict.status,
    reason: verdict.reason,
    category: verdict.category,
    exit_code: verdict.exitCode,
    error_summary: verdict.summary,
    ...figuresOf(tally),
  };
  const failures: string[] = [];
  for (const step of [
    closeLog,
    () => takeIsolatedOutput(run.paths, taskFolder(run.home, info.project_id, info.task_id)),
    () => ensureOutput(run.paths, tally.answer),
    () => writeRunInfo(run.paths.info, final),
    () => appendLedger(run.home, endRecord(final)),
    () => postRunEnd(run.home, final, run.clock.now(), { more: run.looped === true, unchanged: run.unchanged }),
  ]) {
    try {
      step();
    } catch (error) {
      failures.push(messageOf(error));
    }
  }
  if (failures.length === 0) {
    releaseRun(run.home, run.runId);
    return final;
  }
  const summary = [verdict.summary, ...failures].filter((part) => part !== "").join("; ");
  return { ...final, status: "failed", reason: "internal", exit_code: 1, error_summary: summary };
}

/** What a run has done and cost until now; of a conversation it is told after every turn. */
export const figuresOf = ({
  turns,
  usage,
}: Tally): Pick<RunInfo, "turns" | "input_tokens" | "output_tokens" | "cost_usd"> => ({
  turns,
  input_tokens: usage.input,
  output_tokens: usage.output,
  cost_usd: usage.costUsd ?? 0,
});
