import { isImported } from "../../contract/runs/imported.ts";
import type { Home } from "../store/home.ts";
import { runsBackward } from "../store/ledger/ledger.ts";
import { findRun } from "../store/runs/find-run.ts";
import { readRunInfo } from "../store/runs/run-info.ts";

/** The runs of one conversation, oldest first: those that this one goes on with, and those that go on with it. */
export function conversationOf(home: Home, run: string): string[] {
  const { run_id: id } = findRun(home, run);
  const chain = [id];
  for (let before = resumes(home, id); before !== ""; before = resumes(home, before)) chain.unshift(before);
  return [...chain, ...laterRuns(home, id)];
}

/** The last run of the same conversation: where it goes on. */
export function lastOfConversation(home: Home, run: string): string {
  const { run_id: id } = findRun(home, run);
  return laterRuns(home, id).at(-1) ?? id;
}

function laterRuns(home: Home, id: string): string[] {
  const nexts = new Map<string, string>();
  for (const { run_id, previous } of runsBackward(home)) {
    if (run_id === id) break;
    if (previous !== undefined && !nexts.has(previous) && resumes(home, run_id) === previous) {
      nexts.set(previous, run_id);
    }
  }
  const later: string[] = [];
  for (let next = nexts.get(id); next !== undefined; next = nexts.get(next)) later.push(next);
  return later;
}

function resumes(home: Home, run: string): string {
  const info = readRunInfo(findRun(home, run).paths.info);
  return info === undefined || isImported(info) ? "" : info.resumes;
}
