/** A run is one attempt: one directory, one session opened. Plain types and pure text, no schema library: `cox ls` pays for it. */
export type RunStatus = "running" | "completed" | "failed";

export const runReasons = [
  "exit_code",
  "signal",
  "turn_failed",
  "timeout",
  "idle_timeout",
  "stopped",
  "budget",
  "spawn_failed",
  "invalid",
  "internal",
  "host_lost",
] as const;
/** Why a run failed: a closed set. */
export type RunReason = (typeof runReasons)[number];

export const executorNames = ["local", "container", "sandbox"] as const;
/** Where an agent's process lives. */
export type ExecutorName = (typeof executorNames)[number];

/** In the directory of a run whose agent sees nothing else of it: what it leaves there is taken at the end. */
export const ISOLATED_OUTPUT_FOLDER = "handed";

/** Where an agent in a place of its own finds the socket of its run. */
export const SOCKET_INSIDE = "/run/coxswain/agent.sock";

/** `run-info.yaml`, key by key. Written before the agent is started, replaced when something is learnt, final at the end. */
export interface RunInfo {
  version: 1;
  run_id: string;
  /** What people call it by, `r12`; 0 in a record made before runs had numbers. */
  handle: number;
  project_id: string;
  task_id: string;
  parent_run_id: string;
  previous_run_id: string;
  /** The run whose conversation this one goes on with; "" when it began one. */
  resumes: string;
  /** The run that this one branched off from. */
  forked_from: string;
  agent: string;
  agent_version: string;
  profile: string;
  model: string;
  mode: "batch" | "interactive";
  /** What it does with what its agent asks for: ask, allow or deny. */
  permissions: string;
  on: ExecutorName;
  network: "on" | "off";
  /** `external`: imported, see imported.ts. */
  process_ownership: "managed" | "external";
  /** 0 while there is no agent process. */
  pid: number;
  pgid: number;
  agent_start: string;
  host_pid: number;
  host_start: string;
  boot_id: string;
  pid_ns: string;
  start_time: string;
  end_time: string;
  /** -1 while running. */
  exit_code: number;
  status: RunStatus;
  reason: RunReason | "";
  /** With `turn_failed`: the category of the error that ended the turn. */
  category: string;
  error_summary: string;
  /** The agent's own id of the conversation: what a later run resumes with. */
  session_id: string;
  cwd: string;
  prompt_path: string;
  output_path: string;
  stdout_path: string;
  stderr_path: string;
  /** As started, without values that may be secret. */
  commandline: string;
  turns: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  /** Branch, commits and diff of the workspace, where it is a git repository. */
  branch: string;
  base_branch: string;
  commit: string;
  diff_stat: string;
}

export const blankRunInfo: RunInfo = {
  version: 1,
  run_id: "",
  handle: 0,
  project_id: "",
  task_id: "",
  parent_run_id: "",
  previous_run_id: "",
  resumes: "",
  forked_from: "",
  agent: "",
  agent_version: "",
  profile: "",
  model: "",
  mode: "batch",
  permissions: "",
  on: "local",
  network: "on",
  process_ownership: "managed",
  pid: 0,
  pgid: 0,
  agent_start: "",
  host_pid: 0,
  host_start: "",
  boot_id: "",
  pid_ns: "",
  start_time: "",
  end_time: "",
  exit_code: -1,
  status: "running",
  reason: "",
  category: "",
  error_summary: "",
  session_id: "",
  cwd: "",
  prompt_path: "",
  output_path: "",
  stdout_path: "",
  stderr_path: "",
  commandline: "",
  turns: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  branch: "",
  base_branch: "",
  commit: "",
  diff_stat: "",
};

/** One `key: <JSON scalar>` per line: plain YAML that needs no YAML library. */
export function formatRunInfo(info: RunInfo): string {
  return Object.entries(info)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("");
}

/** Tolerates keys it doesn't know (a newer version wrote them); `undefined` when this is no run-info. */
export function parseRunInfo(text: string): RunInfo | undefined {
  const info: { [K in keyof RunInfo]: unknown } = { ...blankRunInfo };
  for (const line of text.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon === -1) continue;
    const key = line.slice(0, colon);
    if (isKey(key)) info[key] = scalar(line.slice(colon + 2));
  }
  return isRunInfo(info) && info.run_id !== "" ? info : undefined;
}

const isKey = (key: string): key is keyof RunInfo => Object.hasOwn(blankRunInfo, key);

function isRunInfo(info: { [K in keyof RunInfo]: unknown }): info is RunInfo {
  return keys.every((key) => typeof info[key] === typeof blankRunInfo[key]);
}

const keys = Object.keys(blankRunInfo).filter(isKey);

function scalar(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A line of the ledger `runs.jsonl`: one at a run's start, one at its end, one when its directory is deleted. The only index. */
export type LedgerRecord = LedgerStart | LedgerEnd | LedgerGone;
export interface LedgerStart {
  type: "start";
  run_id: string;
  handle?: number;
  project: string;
  task: string;
  agent: string;
  parent?: string;
  previous?: string;
  at: string;
  cwd: string;
  title: string;
}
export interface LedgerEnd {
  type: "end";
  run_id: string;
  at: string;
  status: "completed" | "failed";
  reason: RunReason | "";
  exit_code: number;
  cost_usd: number;
  tokens: number;
  turns: number;
}

/** Nothing is left of the run but these lines; lists pass it over. */
export interface LedgerGone {
  type: "gone";
  run_id: string;
  at: string;
}

/** What lists show of a run. */
export interface RunSummary extends Omit<LedgerStart, "type"> {
  end?: Omit<LedgerEnd, "type" | "run_id">;
}
