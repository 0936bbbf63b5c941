import type { RunReport } from "../../contract/agent-socket.ts";
import { AppError } from "../../contract/errors.ts";
import { exitCodeOfRun } from "../../contract/runs/ending.ts";
import { callRun } from "../../lib/client/agent-socket.ts";
import type { CommandInput, Context } from "../../lib/command/command.ts";
import { parseDuration } from "../../lib/command/duration.ts";
import { writeAll } from "../../lib/command/write-all.ts";
import { printable } from "../../lib/text/printable.ts";
import { readPrompt } from "./prompt-words.ts";
import type { runOptions } from "./run-options.ts";
import { refuseOthers } from "./run-socket.ts";

type RunValues = CommandInput<typeof runOptions>["values"];

/** How long one call waits; then it is made again. */
const WAIT_S = 600;

/** `cox run` where a run can't start others by itself: its host does, on the terms of the run. */
export async function runThroughSocket(
  socket: string,
  values: RunValues,
  words: readonly string[],
  context: Context,
): Promise<number> {
  const known = ["agent", "model", "task", "cwd", "prompt-file", "timeout", "detach", "quiet"];
  refuseOthers("run", values, values.detach ? [...known, "json"] : known);
  const { stdout, stderr } = context;
  const { run_id: runId } = await callRun(socket, "spawn_run", {
    prompt: await readPrompt(values, words, context),
    agent: values.agent,
    model: values.model,
    task: values.task,
    cwd: values.cwd,
    timeout_s: values.timeout === undefined ? undefined : parseDuration("--timeout", values.timeout) / 1000,
  });
  if (values.detach) {
    stdout.write(values.json ? `${JSON.stringify({ run_id: runId })}\n` : `${runId}\n`);
    return 0;
  }
  if (!values.quiet) stderr.write(`started ${runId}\n`);
  const [report] = await ended(socket, [runId], Number.POSITIVE_INFINITY, context);
  await outputThroughSocket(socket, runId, context);
  return report === undefined ? 1 : exitCodeOfRun(report);
}

export async function waitThroughSocket(
  socket: string,
  values: { timeout?: string; json?: boolean },
  runIds: readonly string[],
  context: Context,
): Promise<number> {
  const limitMs = values.timeout === undefined ? Number.POSITIVE_INFINITY : parseDuration("--timeout", values.timeout);
  const reports = await ended(socket, runIds, limitMs, context);
  for (const report of reports) {
    const { run_id, status, reason } = report;
    const line = values.json ? JSON.stringify(report) : `${run_id} ${status}${reason && ` (${reason})`}`;
    context.stdout.write(`${line}\n`);
  }
  return Math.max(...reports.map(exitCodeOfRun));
}

export async function outputThroughSocket(socket: string, runId: string, { stdout, stderr }: Context): Promise<number> {
  const { output = "", output_bytes: bytes = 0, status } = await callRun(socket, "run_status", { run_id: runId });
  await writeAll(stdout, [stdout.isTTY ? printable(output) : output]);
  if (status === "running") stderr.write(`cox: run ${runId} still runs\n`);
  else if (Buffer.byteLength(output) < bytes) stderr.write(`cox: this is the beginning of ${bytes} bytes\n`);
  return 0;
}

async function ended(
  socket: string,
  run_ids: readonly string[],
  limitMs: number,
  { clock }: Context,
): Promise<RunReport[]> {
  const deadline = clock.monotonic() + limitMs;
  for (;;) {
    const timeout_s = Math.max(0, Math.min(WAIT_S, (deadline - clock.monotonic()) / 1000));
    const { ended, runs } = await callRun(socket, "wait_run", { run_ids: [...run_ids], timeout_s });
    if (ended) return runs;
    const running = runs.find(({ status }) => status === "running");
    if (clock.monotonic() >= deadline) throw new AppError("timeout", `run ${running?.run_id}: still runs`);
  }
}
