import type { LedgerEnd, LedgerStart, RunInfo, RunReason, RunSummary } from "./run.ts";

export const runStates = ["running", "waiting", "idle", "completed", "failed", "lost"] as const;
/** How a run is, in the word of lists. `lost`: nobody knows, its host is gone and its record says nothing of an end. */
export type RunState = (typeof runStates)[number];

const listed = [
  "run_id",
  "handle",
  "project",
  "task",
  "agent",
  "parent",
  "previous",
  "at",
  "cwd",
  "title",
  "end",
] as const satisfies readonly (keyof RunSummary)[];

/** What `run-info.yaml` has besides, under its own names: none of them says again what lists say. */
const details = [
  "resumes",
  "forked_from",
  "agent_version",
  "profile",
  "model",
  "mode",
  "permissions",
  "on",
  "network",
  "process_ownership",
  "pid",
  "pgid",
  "agent_start",
  "host_pid",
  "host_start",
  "boot_id",
  "pid_ns",
  "category",
  "error_summary",
  "session_id",
  "prompt_path",
  "output_path",
  "stdout_path",
  "stderr_path",
  "commandline",
  "input_tokens",
  "output_tokens",
  "branch",
  "base_branch",
  "commit",
  "diff_stat",
] as const satisfies readonly (keyof RunInfo)[];

/** All that is told of a run, by `cox show --json`, the API and the library: what lists show, under their names, and the details. */
export interface RunRecord extends RunSummary, Pick<RunInfo, (typeof details)[number]> {
  state: RunState;
  reason: RunReason | "";
}

export const recordOf = (info: RunInfo, title: string, state: RunState): RunRecord => ({
  ...startOf(info, title),
  end: info.status === "running" ? undefined : endOf(info),
  state,
  reason: info.reason,
  ...pick(info, details),
});

/** The record alone, where more is told with it. */
export const recordIn = (told: RunRecord): RunRecord => pick(told, [...listed, "state", "reason", ...details]);

const pick = <T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> =>
  Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]])) as Pick<T, K>;

/** What is known of a run from its start on, as lists have it. */
export const startOf = (info: RunInfo, title: string): Omit<LedgerStart, "type"> => ({
  run_id: info.run_id,
  handle: info.handle || undefined,
  project: info.project_id,
  task: info.task_id,
  agent: info.agent,
  parent: info.parent_run_id || undefined,
  previous: info.previous_run_id || undefined,
  at: info.start_time,
  cwd: info.cwd,
  title,
});

/** How it ended, as lists have it. */
export const endOf = (info: RunInfo): Omit<LedgerEnd, "type" | "run_id"> => ({
  at: info.end_time,
  status: info.status === "completed" ? "completed" : "failed",
  reason: info.reason,
  exit_code: info.exit_code,
  cost_usd: info.cost_usd,
  tokens: info.input_tokens + info.output_tokens,
  turns: info.turns,
});
