import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { type Child, startChild } from "../../../lib/process/child.ts";
import { findExecutable } from "../../../lib/process/path/executable.ts";
import type { Marker } from "../../../lib/process/stop.ts";
import { sweep } from "../../../lib/process/stop.ts";
import { textual } from "../environment.ts";
import type { AgentPlan } from "./plan.ts";
import type { ContainerContext } from "./run.ts";

export interface AgentExit {
  code: number;
  /** Its last lines, for the message about a failure. */
  stderr: string;
}

/** A pod has 30 seconds by default; the rest of them is for the report. */
const GRACE_MS = 20_000;
const LEFTOVER_GRACE_MS = 500;
const DRAIN_MS = 2000;
const STDERR_CHARACTERS = 2000;

/** Starts the agent, feeds it the prompt, and hands on what it says until it is gone with everything that it started. */
export async function runAgent(
  plan: AgentPlan,
  prompt: string,
  context: ContainerContext,
  onOutput: (chunk: Uint8Array) => Promise<void>,
): Promise<AgentExit> {
  const { cwd, tell } = context;
  const env = { ...plan.env, ...textual(context.env) };
  const marker: Marker = { name: "COX_CONTAINER_RUN", value: randomUUID() };
  const file = findExecutable(plan.program, { path: env.PATH, cwd: "/" });
  const child = await startChild({
    ...{ file, args: plan.args, cwd, env, marker },
    ...{ stdin: "pipe", stdout: "pipe", stderr: "pipe" },
  });
  child.write(prompt).catch(() => {}); // it ended without reading: its exit says why
  child.end();
  const stderr = new Tail();
  const told = read(child.errors, async (chunk) => {
    tell(chunk);
    stderr.push(chunk);
  });
  const heard = read(child.output, onOutput);
  const release = stopWith(child, plan.stopSignal, context);
  try {
    const { code } = await child.exited;
    // Nothing that the agent left behind may write after the report, or over it.
    await sweep(marker, LEFTOVER_GRACE_MS);
    await drained([heard, told], [child.output, child.errors], context);
    return { code, stderr: stderr.text() };
  } finally {
    release();
  }
}

async function read(stream: Readable | null, take: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  for await (const chunk of stream ?? []) await take(chunk as Uint8Array);
}

/** Asked once, in the way that lets this agent say what it had; then it has its grace. */
function stopWith(
  child: Child,
  signal: AgentPlan["stopSignal"],
  { stopping, clock, env }: ContainerContext,
): () => void {
  let cancel = () => {};
  const stop = () => {
    child.signal(signal);
    cancel = clock.after(graceOf(env), () => void child.stop(0));
  };
  if (stopping.aborted) stop();
  else stopping.addEventListener("abort", stop);
  return () => {
    stopping.removeEventListener("abort", stop);
    cancel();
  };
}

function graceOf(env: NodeJS.ProcessEnv): number {
  const seconds = Number(env.COX_GRACE_SECONDS);
  return env.COX_GRACE_SECONDS && seconds >= 0 ? seconds * 1000 : GRACE_MS;
}

/** Who cleared its environment and holds the pipe is not waited for. */
async function drained(
  reads: readonly Promise<void>[],
  streams: readonly (Readable | null)[],
  { clock, warn }: ContainerContext,
): Promise<void> {
  const done = new AbortController();
  const all = Promise.all(reads).finally(() => done.abort());
  const late = clock.sleep(DRAIN_MS, done.signal).then(() => {
    if (!done.signal.aborted) for (const stream of streams) stream?.destroy();
  });
  await all.catch((error: unknown) => {
    if (!done.signal.aborted || !isPremature(error)) warn(`read the agent's output: ${String(error)}`);
  });
  done.abort();
  await late;
}

const isPremature = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";

class Tail {
  #text = "";

  push(chunk: Uint8Array): void {
    this.#text = (this.#text + Buffer.from(chunk).toString("utf8")).slice(-STDERR_CHARACTERS);
  }

  text(): string {
    const lines = this.#text
      .replace(/\u001b\[[\d;]*m/g, "")
      .trim()
      .split("\n");
    return lines.slice(-5).join("\n");
  }
}
