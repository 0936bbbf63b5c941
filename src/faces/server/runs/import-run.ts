import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Checked } from "../../../contract/api/index.ts";
import { AppError } from "../../../contract/errors.ts";
import { isImported } from "../../../contract/runs/imported.ts";
import { blankRunInfo, formatRunInfo, parseRunInfo, type RunInfo, runReasons } from "../../../contract/runs/run.ts";
import { postMissingEnds } from "../../../core/store/bus/lifecycle.ts";
import { requireTaskName, runIdsOf } from "../../../core/store/find-task.ts";
import { type Home, taskFolder } from "../../../core/store/home.ts";
import { appendLedger, beginLedger, endRecord, recordsOf, startRecord } from "../../../core/store/ledger/ledger.ts";
import { isClaimed } from "../../../core/store/runs/claims.ts";
import { giveHandle } from "../../../core/store/runs/handles.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { readRunInfo } from "../../../core/store/runs/run-info.ts";
import { type TaskRef, taskName } from "../../../core/store/task-file.ts";
import { diskError } from "../../../lib/files/disk-error.ts";
import { parseJournal } from "../../../lib/files/journal-line.ts";
import { removeTree } from "../../../lib/files/tree/remove-tree.ts";

type Wishes = Checked<"POST /runs/import">["body"];

/**
 * Takes over a finished run that was made elsewhere. All of its files appear at once, by a rename; then the ledger and the bus
 * learn of it. When we are cut off in between, asking again completes it.
 */
export function importRun(home: Home, wishes: Wishes, now: number): void {
  const { run_id: runId, project, task, title } = wishes;
  const runs = join(taskFolder(home, project, task), "runs");
  const paths = runPaths(join(runs, runId));
  const info = timed(infoOf(wishes, paths.dir), now);
  const there = readRunInfo(paths.info);
  if (!isFree(home, runId, there)) throw new AppError("run.exists", `run ${runId}: is here already`);
  requireTaskName(home, { project, task });
  requireForeign(home, { project, task });
  if (there === undefined) {
    beginLedger(home);
    info.handle = giveHandle(home, runId);
    const files = { ...wishes.files, "run-info.yaml": formatRunInfo(info), "events.jsonl": eventsOf(wishes) };
    makeAtOnce(paths.dir, files);
  }
  record(home, timed(there ?? info, now), title, now);
}

/** Lists go by time: where nothing can be made of what it says, it is the time when it came here. */
function timed(info: RunInfo, now: number): RunInfo {
  const or = (time: string) => (Number.isNaN(Date.parse(time)) ? new Date(now).toISOString() : time);
  return { ...info, start_time: or(info.start_time), end_time: or(info.end_time) };
}

/** Nobody has this name, or an import that was cut off before all knew of it. */
function isFree(home: Home, runId: string, there: RunInfo | undefined): boolean {
  if (isClaimed(home, runId)) return false; // its host tells how it ends
  const known = recordsOf(home, runId);
  return there === undefined ? !known.start : isImported(there) && !known.end;
}

/** The end of a run moves its task, and its last run is the one a person goes on with: neither is for others to say. */
function requireForeign(home: Home, ref: TaskRef): void {
  const folder = taskFolder(home, ref.project, ref.task);
  const isOwn = (runId: string) => {
    const info = readRunInfo(runPaths(join(folder, "runs", runId)).info);
    return info !== undefined && !isImported(info);
  };
  if (!existsSync(join(folder, "task.yaml")) && !runIdsOf(home, ref).some(isOwn)) return;
  throw new AppError("task.exists", `task ${taskName(ref)}: is one of this machine; import into another`);
}

function makeAtOnce(dir: string, files: Readonly<Record<string, string>>): void {
  const runs = dirname(dir);
  const part = join(runs, `${PART}${randomBytes(9).toString("base64url")}`);
  try {
    mkdirSync(part, { recursive: true, mode: 0o700 });
    dropParts(runs, part);
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(part, name), text, { mode: 0o600, flag: "wx" });
    renameSync(part, dir);
  } catch (error) {
    removeTree(part);
    throw diskError("import run", dir, error);
  }
}

const PART = ".import-";

/** What a server that was killed in the middle left. There is one server, and it imports without a pause: none is in use. */
function dropParts(runs: string, own: string): void {
  for (const name of readdirSync(runs)) {
    const path = join(runs, name);
    if (name.startsWith(PART) && path !== own) removeTree(path);
  }
}

function record(home: Home, info: RunInfo, title: string, now: number): void {
  const known = recordsOf(home, info.run_id);
  if (!known.start) appendLedger(home, startRecord(info, title));
  if (!known.end) appendLedger(home, endRecord(info));
  postMissingEnds(home, info, now);
}

/**
 * Only what tells of the work, and that it is imported. Its folder, rights, profile, conversation and kin would be believed by
 * whoever goes on with it, and its places and processes are those of another machine.
 */
function infoOf({ run_id, project, task, files }: Wishes, dir: string): RunInfo {
  const given = parseRunInfo(files["run-info.yaml"] ?? "");
  if (given === undefined) throw invalid("run-info.yaml is missing, or is none");
  if (given.run_id !== run_id) throw invalid(`run-info.yaml is that of run ${given.run_id}`);
  if ((given.status !== "completed" && given.status !== "failed") || given.end_time === "") {
    throw invalid("it has not ended");
  }
  const figures = FIGURES.map((key) => [key, given[key]] as const);
  const wrong = figures.find(([, value]) => !(value >= 0 && Number.isFinite(value)));
  if (wrong !== undefined) throw invalid(`${wrong[0]} is ${wrong[1]}`);
  const { prompt, output, stdout, stderr } = runPaths(dir);
  const named = (path: string) => (Object.hasOwn(files, basename(path)) ? path : "");
  return {
    ...blankRunInfo,
    ...Object.fromEntries(STORY.map((key) => [key, given[key]])),
    ...Object.fromEntries(figures),
    reason: runReasons.find((reason) => reason === given.reason) ?? "",
    run_id,
    project_id: project,
    task_id: task,
    process_ownership: "external",
    prompt_path: named(prompt),
    output_path: named(output),
    stdout_path: named(stdout),
    stderr_path: named(stderr),
  };
}

const FIGURES = ["turns", "input_tokens", "output_tokens", "cost_usd"] as const;
const STORY = [
  "agent",
  "agent_version",
  "model",
  "start_time",
  "end_time",
  "exit_code",
  "status",
  "category",
  "error_summary",
  "commandline",
  "branch",
  "commit",
  "diff_stat",
] as const;

/** Written anew, numbered from 1: what reads logs later counts on their form. */
function eventsOf({ files }: Wishes): string {
  const text = files["events.jsonl"];
  if (text === undefined) throw invalid("events.jsonl is missing");
  const { records, damaged } = parseJournal(Buffer.from(text));
  const bad = records.find(({ value }) => typeof value.type !== "string" || typeof value.at !== "string");
  if (damaged > 0 || bad !== undefined) throw invalid("events.jsonl has lines that are no events");
  const lines = records.map(({ value }, index) => {
    const { seq, at, ...event } = value;
    void seq; // counted anew
    return `\n{"seq":${index + 1},"at":${JSON.stringify(at)},${JSON.stringify(event).slice(1)}\n`;
  });
  return lines.join("");
}

const invalid = (why: string) => new AppError("usage.invalid", `import run: ${why}`);
