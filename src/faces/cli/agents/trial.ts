import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordedEvent, Usage } from "../../../contract/events.ts";
import { newTaskName } from "../../../contract/ids.ts";
import type { RunRequest } from "../../../contract/runs/request.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { addEvent, addUsage, emptyTranscript, finalAnswer } from "../../../contract/runs/transcript.ts";
import { formatCost, formatCount, formatDuration } from "../../../contract/words/figures.ts";
import { decideRequest } from "../../../core/launch/decide-request.ts";
import { hostRun } from "../../../core/launch/host-run.ts";
import { prepareRun } from "../../../core/launch/prepare-run.ts";
import { Settings } from "../../../core/launch/settings.ts";
import { attribution } from "../../../core/runs/run-access.ts";
import { homePath } from "../../../core/store/home.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Context } from "../../../lib/command/command.ts";
import { renderTable } from "../../../lib/command/table.ts";
import { oneLine } from "../../../lib/text/printable.ts";

const PROMPT = "Reply with the word ready.";
const LIMIT_MS = 60_000;

export interface TrialWishes {
  json?: boolean;
  profile?: string;
  model?: string;
}

/** `cox agent test NAME`: one short prompt as a real run, in an empty folder, with nothing allowed. */
export async function tryAgent(name: string, wishes: TrialWishes, context: Context): Promise<number> {
  const settings = new Settings(homePath(context.env));
  const agent = settings.registry().get(name).id;
  const workspace = mkdtempSync(join(tmpdir(), "cox-agent-test-"));
  try {
    const trial = await run(requestFor(agent, workspace, wishes, context), context, settings);
    context.stdout.write(wishes.json ? `${JSON.stringify(asJson(trial))}\n` : renderTable(rowsOf(trial)));
    return trial.info.status === "completed" ? 0 : 1;
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

function requestFor(
  agent: string,
  workspace: string,
  { profile, model }: TrialWishes,
  { clock, env }: Context,
): RunRequest {
  return {
    who: { agent, profile, model },
    what: { prompt: [{ type: "text", text: PROMPT }], mode: "batch", preamble: false, tools: false },
    where: { project: "agent-test", task: newTaskName(agent, clock.now()), workspace },
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
  const { clock } = context;
  const began = clock.monotonic();
  const { request: decided } = await decideRequest(request, context, settings);
  const { run, done } = await hostRun(await prepareRun(decided, context, settings));
  const heard = listen(clock, began);
  run.watch((events) => heard.hear(events));
  const stop = () => run.stop({ by: "stop", signal: "SIGINT" });
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  try {
    const info = await done;
    return { info, ...heard.result(), totalMs: clock.monotonic() - began };
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
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

function rowsOf({ info, answer, usage, error, openedMs, firstWordMs, totalMs }: Trial): string[][] {
  const took = (ms: number | undefined) => (ms === undefined ? "no" : `after ${formatDuration(ms)}`);
  const rows = [
    ["agent", [info.agent, info.agent_version, info.model].filter((part) => part !== "").join(" ")],
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
  if (error?.remedy !== undefined) rows.push(["remedy", error.remedy]);
  rows.push(["run", info.run_id]);
  return rows;
}

function asJson({ info, answer, usage, error, openedMs, firstWordMs, totalMs }: Trial) {
  return {
    agent: info.agent,
    ok: info.status === "completed",
    run_id: info.run_id,
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
