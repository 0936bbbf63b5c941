import { closeSync, fstatSync } from "node:fs";
import { systemClock } from "../../lib/base/clock.ts";
import { openJournal } from "../../lib/files/journal-line.ts";
import { tailFile } from "../../lib/files/tail.ts";
import { type Child, startChild } from "../../lib/process/child.ts";
import type { Exit } from "../../lib/process/exit.ts";
import { type PipeThrough, pipeThrough } from "../../lib/process/pipe-through.ts";
import { stderrTail } from "../../lib/process/stderr-tail.ts";
import type { Marker } from "../../lib/process/stop.ts";

export interface LocalSpec {
  /** Absolute. */
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Files of the run; a second process of the same run appends to them. */
  stdoutPath: string;
  stderrPath: string;
  marker: Marker;
  /** All it will ever get on stdin. Without it, stdin stays open for `write`. */
  stdin?: string;
  /** How large either file may become before the agent is stopped. */
  maxBytes?: number;
  /** For programs that refuse to write to a file. */
  pipeOutput?: boolean;
  /** The file only keeps the agent, which lives elsewhere: it is the agent that is asked to end. */
  keeper?: boolean;
  /** Not the agent, but a program of the system's beside it: whatever starts the agent in an image has no part in it. */
  aside?: boolean;
  /** Ends what is done before the agent is there. */
  signal?: AbortSignal;
  /** Somebody made the stdout file shorter. */
  onShrunk?: (from: number, to: number) => void;
}

/** `reason` is set when we ended it on our own account. */
export interface LocalExit extends Exit {
  reason?: string;
}

/** An agent on this machine, as the protocols want it, and whom to look for when its host is gone. */
export interface LocalProcess {
  readonly pid: number;
  readonly pgid: number;
  readonly startTime: string;
  readonly output: AsyncIterable<Uint8Array>;
  readonly exited: Promise<LocalExit>;
  write(text: string): Promise<void>;
  end(): void;
  stderrTail(): string;
  stop(graceMs: number): Promise<LocalExit>;
}

/**
 * Starts the agent with its stdout and stderr going straight into the run's files, and reads them back as anybody else would:
 * what it wrote is on disk before we see it, and stays when we are killed. Nothing here waits for the disk.
 */
export async function startLocal(spec: LocalSpec): Promise<LocalProcess> {
  const capture = openCapture(spec);
  const from = { stdout: fstatSync(capture.stdout).size, stderr: fstatSync(capture.stderr).size };
  const pipe = spec.pipeOutput ? pipeThrough(capture.stdout) : undefined;
  let child: Child;
  try {
    const stdin = spec.stdin === "" ? "ignore" : "pipe";
    const { file, args, cwd, env, marker, keeper } = spec;
    child = await startChild({
      file,
      args,
      cwd,
      env,
      marker,
      keeper,
      stdin,
      stdout: pipe?.end ?? capture.stdout,
      stderr: capture.stderr,
    });
  } catch (error) {
    capture.close();
    throw error;
  } finally {
    pipe?.release();
  }
  if (spec.stdin) feed(child, spec.stdin);

  const limit = limitBytes(capture, spec.maxBytes ?? MAX_BYTES, () => child.stop(OVERFLOW_GRACE_MS));
  const exited = child.exited.then((exit): LocalExit => {
    limit.release();
    capture.close();
    return limit.exceeded ? { ...exit, reason: limit.exceeded } : exit;
  });
  const until = pipe ? copied(exited, pipe) : exited;

  return {
    pid: child.pid,
    pgid: child.pid,
    startTime: child.startTime,
    output: tailFile(spec.stdoutPath, { from: from.stdout, until, onShrunk: spec.onShrunk }),
    exited,
    write: (text) => child.write(text),
    end: () => child.end(),
    stderrTail: () => stderrTail(spec.stderrPath, from.stderr),
    async stop(graceMs) {
      await child.stop(graceMs);
      return exited;
    },
  };
}

interface Capture {
  stdout: number;
  stderr: number;
  close(): void;
}

/** With the same guards as a journal: a link or a pipe in the file's place is refused. */
function openCapture({ stdoutPath, stderrPath }: LocalSpec): Capture {
  const stdout = openJournal(stdoutPath);
  let stderr: number;
  try {
    stderr = openJournal(stderrPath);
  } catch (error) {
    closeSync(stdout);
    throw error;
  }
  const close = () => {
    closeSync(stdout);
    closeSync(stderr);
  };
  return { stdout, stderr, close };
}

function feed(child: Child, text: string): void {
  // An agent that exits without reading its prompt says why by its exit, not by the broken pipe.
  child.write(text).catch(() => {});
  child.end();
}

/** A file pushes back on nobody, so a program gone mad is stopped before it has filled the disk. */
function limitBytes(capture: Capture, maxBytes: number, stop: () => Promise<unknown>) {
  const limit = { exceeded: "", release: () => clearInterval(timer) };
  const timer = setInterval(() => {
    if (Math.max(fstatSync(capture.stdout).size, fstatSync(capture.stderr).size) <= maxBytes) return;
    limit.exceeded = `stopped: its output is larger than ${maxBytes} bytes`;
    limit.release();
    void stop();
  }, LIMIT_CHECK_MS);
  timer.unref();
  return limit;
}

const MAX_BYTES = 2 * 1024 ** 3;
const LIMIT_CHECK_MS = 500;
const OVERFLOW_GRACE_MS = 500;

/** When the copying is over, or almost certainly held up by an orphan that keeps the pipe. */
async function copied(exited: Promise<unknown>, pipe: PipeThrough): Promise<void> {
  await exited;
  const done = new AbortController();
  void pipe.done.then(() => done.abort());
  await systemClock.sleep(ORPHAN_MS, done.signal);
}

const ORPHAN_MS = 2000;
