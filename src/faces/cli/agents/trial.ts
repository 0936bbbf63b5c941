import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordedEvent, Usage } from "../../../contract/events.ts";
import type { DecidedRequest, RunRequest } from "../../../contract/runs/request.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { addEvent, addUsage, emptyTranscript, finalAnswer } from "../../../contract/sessions/transcript.ts";
import { formatCost, formatCount, formatDuration } from "../../../contract/words/figures.ts";
import { type FoundAgent, findAgents } from "../../../core/agents/discovery/inspect-agents.ts";
import { decideRequest } from "../../../core/launch/decide-request.ts";
import { hostRun } from "../../../core/launch/host-run.ts";
import { inTask } from "../../../core/launch/in-task.ts";
import { prepareRun } from "../../../core/launch/prepare-run.ts";
import { Settings } from "../../../core/launch/settings.ts";
import { forgetRun } from "../../../core/runs/forget-run.ts";
import { attribution } from "../../../core/runs/run-access.ts";
import { dropEmptyProject } from "../../../core/store/find-task.ts";
import { homeAt, homePath } from "../../../core/store/home.ts";
import { findRun } from "../../../core/store/runs/find-run.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Context } from "../../../lib/command/command.ts";
import { renderTable } from "../../../lib/command/table.ts";
import { removeTree } from "../../../lib/files/tree/remove-tree.ts";
import { oneLine } from "../../../lib/text/printable.ts";
import { loginText } from "./show.ts";

const PROJECT = "agent-test";
const PROMPT = "Reply with the word ready.";
const LIMIT_MS = 60_000;

export interface TrialWishes {
  json?: boolean;
  profile?: string;
  model?: string;
}

/** `cox agent test NAME`: one short prompt as a real run, in an empty folder, with nothing allowed; nothing of it is kept. */
export async function tryAgent(name: string, wishes: TrialWishes, context: Context): Promise<number> {
  const settings = new Settings(homePath(context.env));
  const definition = (await settings.registry()).get(name);
  const agent = definition.id;
  const [looked] = await findAgents([definition], settings.home, context.env);
  const workspace = mkdtempSync(join(tmpdir(), "cox-agent-test-"));
  try {
    const trial = await run(requestFor(agent, workspace, wishes, context), context, settings);
    context.stdout.write(wishes.json ? `${JSON.stringify(asJson(trial))}\n` : renderTable(rowsOf(trial, looked)));
    return trial.info.status === "completed" ? 0 : 1;
  } finally {
    removeTree(workspace);
  }
}

function requestFor(agent: string, workspace: string, { profile, model }: TrialWishes, { env }: Context): RunRequest {
  return {
    who: { agent, profile, model },
    what: { prompt: [{ type: "text", text: PROMPT }], mode: "batch", preamble: false, tools: false },
    where: { project: PROJECT, workspace },
    limits: { permissions: "deny", unattended: "a trial allows nothing", timeoutMs: LIMIT_MS },
    lineage: { by: attribution(), parent: env.COX_RUN_ID },
  };
}

interface Trial {
  info: RunInfo;
  answer: string;
  usage: Usage | undefined;
  error: Extract<RecordedEvent, { type: "error" }> | undefined;
  /** Milliseconds from the start until the conversation was open, the first word came, and all was over. */
  openedMs: number | undefined;
  firstWordMs: number | undefined;
  totalMs: number;
}

async function run(request: RunRequest, context: Context, settings: Settings): Promise<Trial> {
  const began = context.clock.monotonic();
  const { request: decided } = await decideRequest(request, context, settings);
  return inTask(decided, settings.home, (claimed) => hostTrial(claimed, began, context, settings));
}

async function hostTrial(request: DecidedRequest, began: number, context: Context, settings: Settings): Promise<Trial> {
  const { clock } = context;
  const heard = listen(clock, began);
  const spec = await prepareRun(request, context, settings);
  const { run, done } = await hostRun(spec, (met) => met.watch((events) => heard.hear(events)));
  const stop = () => run.stop({ by: "stop", signal: "SIGINT" });
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  try {
    const info = await done;
    return { info, ...heard.result(), totalMs: clock.monotonic() - began };
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    const home = homeAt(settings.home);
    await forgetRun({ home, run: findRun(home, run.runId) }, clock);
    dropEmptyProject(home, PROJECT);
  }
}

function listen(clock: Clock, began: number) {
  const transcript = emptyTranscript();
  let openedMs: number | undefined;
  let firstWordMs: number | undefined;
  let usage: Usage | undefined;
  let error: Trial["error"];
  const since = () => clock.monotonic() - began;
  return {
    hear(events: readonly RecordedEvent[]) {
      for (const event of events) {
        addEvent(transcript, event);
        if (event.type === "session_status" && event.status === "new") openedMs ??= since();
        if (event.type === "message_chunk") firstWordMs ??= since();
        if (event.type === "error") error = event;
        if (event.type === "complete" && event.usage) usage = usage ? addUsage(usage, event.usage) : event.usage;
      }
    },
    result: () => ({ answer: finalAnswer(transcript.items), usage, error, openedMs, firstWordMs }),
  };
}

function rowsOf(trial: Trial, looked: FoundAgent | undefined): string[][] {
  const { info, answer, usage, error, openedMs, firstWordMs, totalMs } = trial;
  const took = (ms: number | undefined) => (ms === undefined ? "no" : `after ${formatDuration(ms)}`);
  const rows = [
    ["agent", [info.agent, info.agent_version, info.model].filter((part) => part !== "").join(" ")],
    ["login", looked === undefined ? "" : loginText(looked.found.login)],
    ["opened", took(openedMs)],
    ["answered", firstWordMs === undefined ? "no" : `${took(firstWordMs)}: ${oneLine(answer).slice(0, 200)}`],
  ];
  if (usage !== undefined) {
    const cost = formatCost(usage.costUsd ?? 0);
    rows.push([
      "used",
      `${formatCount(usage.input)} tokens in, ${formatCount(usage.output)} out${cost && `, ${cost}`}`,
    ]);
  }
  rows.push(["took", formatDuration(totalMs)]);
  if (info.status !== "completed") rows.push(["failed", oneLine(error?.message ?? info.error_summary)]);
  const remedy = looked?.found.state === "needs_login" ? looked.found.remedy : error?.remedy;
  if (info.status !== "completed" && remedy !== undefined) rows.push(["remedy", remedy]);
  return rows;
}

function asJson({ info, answer, usage, error, openedMs, firstWordMs, totalMs }: Trial) {
  return {
    agent: info.agent,
    ok: info.status === "completed",
    model: info.model,
    agent_version: info.agent_version,
    opened_ms: rounded(openedMs),
    first_word_ms: rounded(firstWordMs),
    total_ms: rounded(totalMs),
    answer,
    usage: usage ?? null,
    error: info.status === "completed" ? null : (error?.message ?? info.error_summary),
    remedy: error?.remedy ?? null,
  };
}

const rounded = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms));
