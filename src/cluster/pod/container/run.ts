import { join } from "node:path";
import { AppError, exitCodeOf, messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import { type CaptureContext, Log, meterOf, report, transcriptFor } from "../capture.ts";
import type { Figures } from "../figures.ts";
import { pushTranscript } from "../push.ts";
import type { Transcript } from "../transcript.ts";
import { runAgent } from "./agent-process.ts";
import { planAgent } from "./plan.ts";
import { prepare } from "./prepare.ts";
import { runSetup } from "./setup.ts";
import { readTask } from "./task.ts";

export interface ContainerContext extends CaptureContext {
  clock: Clock;
  home: string;
  /** What the container's stderr gets. */
  tell(text: string | Uint8Array): void;
  /** Aborted when the pod is asked to stop. */
  stopping: AbortSignal;
}

/** How the container's work ended. */
interface Ended {
  exitCode: number;
  figures: Figures;
  prompt?: string;
}

/**
 * One Task in one container: the agent is told everything in its own way, its output goes to the log as it comes, and whatever
 * happens the outputs are reported before we exit with the agent's code.
 */
export async function containerRun(words: readonly string[], context: ContainerContext): Promise<number> {
  const { env, clock, stopping, warn } = context;
  const log = new Log(context);
  const transcript = await transcriptFor(env, clock);
  const { exitCode, figures, prompt } = await work(words, log, transcript, context);
  await report(figures, log, context);
  const end = { exitCode, figures, isStopped: stopping.aborted };
  if (transcript !== undefined) await pushTranscript(transcript.finish(end, prompt), env, warn);
  return exitCode;
}

async function work(
  words: readonly string[],
  log: Log,
  transcript: Transcript | undefined,
  context: ContainerContext,
): Promise<Ended> {
  try {
    const { env, home } = context;
    const task = readTask(words, env);
    const own = join(home, ".coxswain-task");
    const plan = planAgent(task, { home, own, env });
    prepare(plan, own);
    const setup = task.setupCommand === undefined ? undefined : await runSetup(task.setupCommand, context);
    if (setup !== undefined) return failed(setup.exitCode, setup.failure);
    const meter = meterOf(env);
    transcript?.prompt(task.prompt);
    const exit = await runAgent(plan, task.prompt, context, async (chunk) => {
      await log.write(chunk);
      meter.push(chunk);
      transcript?.push(chunk);
    });
    return { ...settled(exit, meter.end(), context.stopping.aborted), prompt: task.prompt };
  } catch (error) {
    context.warn(messageOf(error));
    return failed(error instanceof AppError ? exitCodeOf(error.code) : 1, messageOf(error));
  }
}

const failed = (exitCode: number, failure: string): Ended => ({ exitCode, figures: { abnormal: true, failure } });

/** SIGTERM, as a shell would report it. */
const TERMINATED = 143;

/** The agent's code stands; only a 0 that it contradicts itself, or that we had to ask for, is none. */
export function settled(
  { code, stderr }: { code: number; stderr: string },
  figures: Figures,
  isStopped: boolean,
): Ended {
  const exitCode = code !== 0 ? code : isStopped ? TERMINATED : figures.abnormal ? 1 : 0;
  if (exitCode === 0) return { exitCode, figures: { ...figures, failure: undefined } };
  if (isStopped)
    return { exitCode, figures: { ...figures, failure: "the agent was asked to stop before it was done" } };
  return { exitCode, figures: { ...figures, failure: figures.failure ?? (stderr || `the agent exited with ${code}`) } };
}
