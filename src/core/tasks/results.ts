import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { RunInfo } from "../../contract/runs/run.ts";
import { errnoOf } from "../../lib/files/disk-error.ts";
import { busBlobs, busPath } from "../store/bus/bus.ts";
import { readMessages } from "../store/bus/bus-reader.ts";
import { runIdsOf } from "../store/find-task.ts";
import { type Home, runFolder } from "../store/home.ts";
import { runPaths } from "../store/runs/run-directory.ts";
import { readRunInfo } from "../store/runs/run-info.ts";
import type { TaskRef } from "../store/task-file.ts";

const MAX_OUTPUT_BYTES = 32 * 1024;

/**
 * What a task has to show: facts of its last completed run, and what was posted as RESULT (`key: value` lines, the last one
 * of a key stands). What is not known is not there: an empty text would be taken for a result.
 */
export function resultsOf(home: Home, ref: TaskRef): Record<string, string> {
  const results = new Map<string, string>();
  const run = lastCompleted(home, ref);
  if (run !== undefined) {
    const { run_id, status, branch, base_branch, commit } = run;
    const facts = { run_id, status, branch, base_branch, commit, output: outputOf(run) };
    for (const [key, value] of Object.entries(facts)) if (value !== "") results.set(key, value);
  }
  for (const [key, value] of postedResults(home, ref)) results.set(key, value);
  return Object.fromEntries(results);
}

/** `key: value` lines; others are a person's own words. */
function parseResults(body: string): [key: string, value: string][] {
  return body.split("\n").flatMap((line): [string, string][] => {
    const [, key, value] = /^([A-Za-z][\w-]{0,63}):\s+(.*\S)\s*$/.exec(line) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value]];
  });
}

/** What was posted as RESULT, in its order. */
export function postedResults(home: Home, ref: TaskRef): [key: string, value: string][] {
  const path = busPath(home, ref.project, ref.task);
  return readMessages(path, { type: "RESULT" }).messages.flatMap(({ body }) =>
    parseResults(typeof body === "string" ? body : busBlobs(path).read(body.sha256).toString()),
  );
}

function lastCompleted(home: Home, ref: TaskRef): RunInfo | undefined {
  for (const runId of runIdsOf(home, ref).toReversed()) {
    const info = readRunInfo(runPaths(runFolder(home, ref.project, ref.task, runId)).info);
    if (info?.status === "completed") return info;
  }
  return undefined;
}

/** At most so much that it fits into a prompt; a cut is said, with the place of the whole text. */
export function outputOf({ output_path: path }: RunInfo): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ELOOP") return "";
    throw error;
  }
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, MAX_OUTPUT_BYTES));
    const text = bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, 0)).trim();
    return size <= MAX_OUTPUT_BYTES ? text : `${text}…\n(cut: all ${size} bytes are in ${path})`;
  } finally {
    closeSync(fd);
  }
}
