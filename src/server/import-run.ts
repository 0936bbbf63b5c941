import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diskError, errnoOf } from "../base/disk-error.ts";
import { parseJournal } from "../base/journal-line.ts";
import type { Checked } from "../contract/api/index.ts";
import { AppError } from "../contract/errors.ts";
import { requireName } from "../contract/ids.ts";
import { formatRunInfo, parseRunInfo, type RunInfo } from "../contract/run.ts";
import { isClaimed } from "../store/claims.ts";
import { type Home, taskFolder } from "../store/home.ts";
import { appendLedger, endRecord, recordsOf, startRecord } from "../store/ledger.ts";
import { postMissingEnds } from "../store/lifecycle.ts";
import { runPaths } from "../store/run-directory.ts";
import { readRunInfo } from "../store/run-info.ts";

type Wishes = Checked<"POST /runs/import">["body"];

/**
 * Takes over a finished run that was made elsewhere. All of its files appear at once, by a rename; then the ledger and the bus
 * learn of it. When we are cut off in between, asking again completes it.
 */
export function importRun(home: Home, wishes: Wishes, now: number): void {
  const { run_id: runId, project, task, title } = wishes;
  requireName("task", task);
  const exists = () => new AppError("run.exists", `run ${runId}: is here already`);
  if (isClaimed(home, runId)) throw exists(); // its host tells how it ends
  const runs = join(taskFolder(home, project, task), "runs");
  const paths = runPaths(join(runs, runId));
  const info = infoOf(wishes, paths.dir);
  const files = { ...wishes.files, "run-info.yaml": formatRunInfo(info), "events.jsonl": eventsOf(wishes) };
  const part = join(runs, `${PART}${randomBytes(9).toString("base64url")}`);
  try {
    mkdirSync(part, { recursive: true, mode: 0o700 });
    dropParts(runs, part);
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(part, name), text, { mode: 0o600, flag: "wx" });
    renameSync(part, paths.dir);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (!["EEXIST", "ENOTEMPTY", "ENOTDIR"].includes(errnoOf(error))) throw diskError("import run", paths.dir, error);
    if (recordsOf(home, runId).end || readRunInfo(paths.info)?.status === "running") throw exists();
  }
  record(home, readRunInfo(paths.info) ?? info, title, now);
}

const PART = ".import-";

/** What a server that was killed in the middle left. There is one server, and it imports without a pause: none is in use. */
function dropParts(runs: string, own: string): void {
  for (const name of readdirSync(runs)) {
    const path = join(runs, name);
    if (name.startsWith(PART) && path !== own) rmSync(path, { recursive: true, force: true });
  }
}

function record(home: Home, info: RunInfo, title: string, now: number): void {
  const known = recordsOf(home, info.run_id);
  if (!known.start) appendLedger(home, startRecord(info, title));
  if (!known.end) appendLedger(home, endRecord(info));
  postMissingEnds(home, info, now);
}

/** Places and processes of another machine mean nothing here. */
function infoOf({ run_id, project, task, files }: Wishes, dir: string): RunInfo {
  const info = parseRunInfo(files["run-info.yaml"] ?? "");
  if (info === undefined) throw invalid("run-info.yaml is missing, or is none");
  if (info.run_id !== run_id) throw invalid(`run-info.yaml is that of run ${info.run_id}`);
  if (info.status === "running" || info.end_time === "") throw invalid("it has not ended");
  const { prompt, output, stdout, stderr } = runPaths(dir);
  return {
    ...info,
    project_id: project,
    task_id: task,
    process_ownership: "external",
    pid: 0,
    pgid: 0,
    host_pid: 0,
    prompt_path: prompt,
    output_path: output,
    stdout_path: stdout,
    stderr_path: stderr,
  };
}

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
