import type { Readable } from "node:stream";
import { formatOutputs } from "../../contract/outputs/outputs.ts";
import { builtinPrices } from "../../core/agents/registry/prices.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { agentStream } from "./agent-stream.ts";
import { codexModel } from "./codex-model.ts";
import type { Figures } from "./figures.ts";
import { StreamMeter } from "./meter.ts";
import { outputLines } from "./output-lines.ts";
import { pushTranscript } from "./push.ts";
import { repositoryFacts } from "./repository-facts.ts";
import { terminationLogOf, writeDigest } from "./termination.ts";
import { Transcript } from "./transcript.ts";

const TEE_FILE = "/tmp/agent-output.jsonl";

export interface CaptureContext {
  env: NodeJS.ProcessEnv;
  cwd: string;
  clock: Clock;
  /** Resolves when the bytes are on their way; rejects when nobody reads them. */
  write(bytes: Uint8Array | string): Promise<void>;
  warn(text: string): void;
}

/** Passes the agent's stream on, then says what came out of it. The exit code is for entrypoints that look at it. */
export async function capture(stdin: Readable & { fd?: number }, context: CaptureContext): Promise<number> {
  const { env, clock } = context;
  const log = new Log(context);
  const meter = meterOf(env);
  const transcript = await transcriptFor(env, clock);
  const stream = await agentStream({ stdin, file: env.COX_AGENT_OUTPUT || TEE_FILE, clock });
  let broken = false;
  try {
    if (stream.from !== "nowhere") {
      for await (const chunk of stream.chunks) {
        if (stream.from === "stdin") await log.write(chunk);
        else log.sees(chunk);
        meter.push(chunk);
        transcript?.push(chunk);
      }
    }
  } catch (error) {
    broken = true;
    context.warn(`read the agent's output: ${String(error)}`);
  }
  const figures = meter.end();
  const exitCode = broken || figures.abnormal ? 1 : 0;
  await report(figures, log, context);
  const end = { exitCode, figures, isStopped: false };
  if (transcript !== undefined) await pushTranscript(transcript.finish(end, undefined), env, context.warn);
  return log.isGone ? 1 : exitCode;
}

/** Only where somebody keeps it: an agent's words are many. */
export const transcriptFor = async (env: NodeJS.ProcessEnv, clock: Clock): Promise<Transcript | undefined> =>
  env.COX_SERVER_URL ? Transcript.open(env, clock) : undefined;

export function meterOf(env: NodeJS.ProcessEnv): StreamMeter {
  return new StreamMeter(env.KELOS_AGENT_TYPE, {
    model: env.KELOS_MODEL || undefined,
    modelOf: (conversation) => codexModel(conversation, env),
    prices: builtinPrices,
  });
}

/** The block on stdout, and its digest where the kubelet takes it up. */
export async function report(
  figures: Figures,
  log: Log,
  { cwd, env, warn }: CaptureContext,
): Promise<readonly string[]> {
  const lines = outputLines(await repositoryFacts({ cwd, env, warn }), figures);
  writeDigest(terminationLogOf(env), lines, figures.failure, warn);
  await log.writeLine(formatOutputs(lines));
  return lines;
}

const NEWLINE = 10;

/**
 * The pod's log. When nobody takes it any more the agent's output is still read to its end: the agent would die of a broken
 * pipe, and what it did would be reported by nobody.
 */
export class Log {
  readonly #context: Pick<CaptureContext, "write" | "warn">;
  #atLineStart = true;
  isGone = false;

  constructor(context: Pick<CaptureContext, "write" | "warn">) {
    this.#context = context;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.sees(chunk);
    await this.#pass(chunk);
  }

  /** Somebody else has written it there. */
  sees(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#atLineStart = chunk[chunk.length - 1] === NEWLINE;
  }

  /** On a line of its own: a stream that ends without a newline must not swallow the marker. */
  async writeLine(text: string): Promise<void> {
    if (text === "") return;
    await this.#pass(this.#atLineStart ? text : `\n${text}`);
    this.#atLineStart = true;
  }

  async #pass(bytes: Uint8Array | string): Promise<void> {
    if (this.isGone) return;
    try {
      await this.#context.write(bytes);
    } catch (error) {
      this.isGone = true;
      this.#context.warn(`write to the log: ${String(error)}`);
    }
  }
}
