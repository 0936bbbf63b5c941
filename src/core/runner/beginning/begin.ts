import { closeSync, writeFileSync } from "node:fs";
import { wrap } from "../../../contract/errors.ts";
import { blankRunInfo, type RunInfo } from "../../../contract/runs/run.ts";
import { wordsOf } from "../../../contract/words/content.ts";
import { diskError } from "../../../lib/files/disk-error.ts";
import type { Holder } from "../../../lib/files/holding/holder.ts";
import { openJournal } from "../../../lib/files/journal-line.ts";
import { removeTree } from "../../../lib/files/tree/remove-tree.ts";
import { ourselves } from "../../../lib/process/holders/holder.ts";
import { shellWords } from "../../../lib/text/shell-words.ts";
import { postRunStart } from "../../store/bus/lifecycle.ts";
import { taskFolder } from "../../store/home.ts";
import { appendLedger, startRecord } from "../../store/ledger/ledger.ts";
import { releaseRun } from "../../store/runs/claims.ts";
import { giveHandle } from "../../store/runs/handles.ts";
import { createRunDirectory, type RunPaths } from "../../store/runs/run-directory.ts";
import { writeRunInfo } from "../../store/runs/run-info.ts";
import { claimSession, releaseSession } from "../../store/runs/session-claims.ts";
import type { RunSpec } from "../run-spec.ts";
import { type PreambleInput, preamble } from "./preamble.ts";

export interface BegunRun {
  runId: string;
  paths: RunPaths;
  info: RunInfo;
  /** Said to the agent before its first prompt. */
  preface: string | undefined;
}

/** What is known of a run before anything of it is made. */
export interface Beginning
  extends Pick<RunSpec, "home" | "what" | "lineage" | "recall" | "baseBranch" | "executor" | "conductor" | "clock"> {
  who: Pick<RunSpec["who"], "profile">;
  where: Pick<RunSpec["where"], "project" | "task">;
  limits: Partial<Pick<RunSpec["limits"], "permissions">>;
  plan: Pick<RunSpec["plan"], "agent" | "modelName" | "cwd" | "argv">;
}

/** The first steps of a run, all on disk before its agent exists: directory, number, run-info, prompt.md, the start in the ledger. */
export function beginRun(spec: Beginning): BegunRun {
  const host = ourselves();
  const { runId, paths } = createRunDirectory(spec.home, spec.where, host, spec.conductor?.hash);
  const info = firstInfo(spec, runId, paths, host);
  const { what, lineage } = spec;
  const said = [what.preamble !== false ? preamble(aboutRun(spec, runId, paths)) : "", spec.recall ?? ""].filter(
    Boolean,
  );
  const preface = said.length === 0 ? undefined : said.join("\n");
  const prompt = wordsOf(what.prompt);
  try {
    if (goesOnWith(spec) !== "") claimSession(spec.home, sessionOf(info), runId);
    info.handle = giveHandle(spec.home, runId);
    // Whoever speaks without a process, or fails before it has one, leaves these as well.
    for (const file of [paths.stdout, paths.stderr]) closeSync(openJournal(file));
    writeRunInfo(paths.info, info);
    writePrompt(paths.prompt, preface === undefined ? prompt : `${preface}\n---\n\n${prompt}`);
    const title = titleOf(what.title ?? prompt);
    appendLedger(spec.home, startRecord(info, title));
    const terms = { review: what.review ?? false, resumed: lineage.conversation !== undefined, title };
    postRunStart(spec.home, info, terms, spec.clock.now());
  } catch (error) {
    removeTree(paths.dir); // a full disk leaves no half-made run
    if (goesOnWith(spec) !== "") releaseSession(spec.home, sessionOf(info), runId);
    releaseRun(spec.home, runId);
    throw wrap("start run", error);
  }
  return { runId, paths, info, preface };
}

/** The run whose conversation this one goes on with. A branch of it is another conversation. */
const goesOnWith = ({ lineage: { conversation, previous = "" } }: Beginning) =>
  conversation === undefined || conversation.fork ? "" : previous;

/** As it is claimed: by the id it was asked for, not by the one it may get. */
const sessionOf = ({ agent, session_id: sessionId }: RunInfo) => ({ agent, sessionId });

function aboutRun(
  { home, where: { project, task }, executor }: Beginning,
  runId: string,
  paths: RunPaths,
): PreambleInput {
  const run = { runId, project, task };
  if (executor?.inside === undefined || executor.name === "local") {
    return { ...run, outputPath: paths.output, donePath: `${taskFolder(home, project, task)}/DONE` };
  }
  const { runFolder } = executor.inside;
  return { ...run, outputPath: `${runFolder}/output.md`, donePath: `${runFolder}/DONE`, isolation: executor.name };
}

function firstInfo(spec: Beginning, runId: string, paths: RunPaths, host: Holder): RunInfo {
  return {
    ...blankRunInfo,
    run_id: runId,
    project_id: spec.where.project,
    task_id: spec.where.task,
    parent_run_id: spec.lineage.parent ?? "",
    previous_run_id: spec.lineage.previous ?? "",
    resumes: goesOnWith(spec),
    forked_from: spec.lineage.fork?.run ?? "",
    agent: spec.plan.agent,
    profile: spec.who.profile,
    model: spec.plan.modelName,
    mode: spec.what.mode,
    permissions: spec.limits.permissions ?? "",
    on: spec.executor?.name ?? "local",
    network: (spec.executor?.network ?? true) ? "on" : "off",
    host_pid: host.pid,
    host_start: host.start,
    boot_id: host.boot,
    pid_ns: host.namespace,
    start_time: new Date(spec.clock.now()).toISOString(),
    session_id: spec.lineage.conversation?.sessionId ?? "",
    cwd: spec.plan.cwd,
    base_branch: spec.baseBranch ?? "",
    prompt_path: paths.prompt,
    output_path: paths.output,
    stdout_path: paths.stdout,
    stderr_path: paths.stderr,
    commandline: shellWords(spec.plan.argv),
  };
}

/** Nobody reads it before the agent runs, so it needs no rename; the folder is new, so it isn't there. */
function writePrompt(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw diskError("write prompt.md", path, error);
  }
}

function titleOf(prompt: string): string {
  const line = prompt.split("\n").find((text) => text.trim() !== "") ?? "";
  return line.trim().slice(0, 120);
}
