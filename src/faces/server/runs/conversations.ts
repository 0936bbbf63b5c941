import { randomUUID } from "node:crypto";
import type { SentCommand } from "../../../contract/commands.ts";
import { AppError } from "../../../contract/errors.ts";
import type { Content } from "../../../contract/events.ts";
import { runName } from "../../../contract/ids.ts";
import { requireOwn } from "../../../contract/runs/imported.ts";
import type { StartRun } from "../../../contract/runs/request.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { socketPath } from "../../../core/store/home.ts";
import { MAX_ATTACHMENTS } from "../../../core/store/runs/attachments.ts";
import { heal } from "../../../core/tasks/heal.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import { sendCommand } from "../../../lib/client/socket.ts";
import type { ServerPorts } from "../ports.ts";
import { resumable } from "./resumable.ts";
import { chosenResume } from "./resume-run.ts";
import type { KnownRun, Runs } from "./runs.ts";

export interface Prompt {
  content: readonly Content[];
  delivery: "queue" | "steer";
  promptId?: string | undefined;
  choice?: string | undefined;
  by: string;
}

export interface Prompted {
  runId: string;
  promptId: string;
  resumed: boolean;
}

/**
 * What people say to runs. A live one is told through its host; a closed conversation goes on in a new run. Prompts that come
 * while it is being started wait for that run: one conversation, one process.
 */
export class Conversations {
  readonly #runs: Runs;
  readonly #clock: Clock;
  readonly #start: StartRun;
  /** By the run they go on from. */
  readonly #resuming = new Map<string, Promise<string>>();

  constructor({ clock, start }: Pick<ServerPorts, "clock" | "start">, runs: Runs) {
    this.#runs = runs;
    this.#clock = clock;
    this.#start = start;
  }

  /** Tells a live run's host; throws what it answered, or why there is none. */
  async tell(runId: string, command: SentCommand): Promise<void> {
    const known = this.#runs.require(runId);
    if (!this.#runs.isLive(known)) throw notLive(known.info);
    try {
      await sendCommand(socketPath(this.#runs.home, runId), command);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "host.unreachable") throw error;
      await heal(this.#runs.home, this.#clock);
      const { info } = this.#runs.require(runId);
      throw info.status === "running" ? error : notLive(info);
    }
  }

  async prompt(runId: string, prompt: Prompt): Promise<Prompted> {
    requireFewAttachments(prompt.content);
    const promptId = prompt.promptId ?? randomUUID();
    for (let attempt = 1; ; attempt += 1) {
      const latest = this.#runs.latest(runId);
      try {
        return await this.#promptOnce(latest, { ...prompt, promptId });
      } catch (error) {
        // It ended, or another began to go on with it, while we looked: look again.
        const again = error instanceof AppError && (error.code === "run.not_live" || error.code === "session.busy");
        if (!again || attempt === ATTEMPTS) throw error;
        await this.#clock.sleep(50 * attempt);
      }
    }
  }

  async #promptOnce(latest: KnownRun, prompt: Prompt & { promptId: string }): Promise<Prompted> {
    const { run_id: runId } = latest.info;
    const { promptId, content, delivery, by } = prompt;
    const command: SentCommand = { type: "prompt", promptId, content: [...content], delivery, by };
    if (this.#runs.isLive(latest)) {
      await this.tell(runId, command);
      return { runId, promptId, resumed: false };
    }
    const under = this.#resuming.get(runId);
    if (under !== undefined) {
      const started = await under;
      await this.tell(started, command);
      return { runId: started, promptId, resumed: false };
    }
    const started = this.#resume(latest, prompt);
    this.#resuming.set(runId, started);
    try {
      return { runId: await started, promptId, resumed: true };
    } finally {
      this.#resuming.delete(runId);
    }
  }

  async #resume({ info }: KnownRun, { content, by, promptId, choice }: Prompt & { promptId: string }): Promise<string> {
    requireOwn(info);
    await heal(this.#runs.home, this.#clock);
    const { ok, why, choices = [] } = await resumable(this.#runs.home, info);
    if (!ok && !choices.some((offered) => offered === choice)) {
      throw new AppError("run.not_resumable", `run ${runName(info)}: ${why}`, { choices });
    }
    const chosen = ok ? undefined : choices.find((offered) => offered === choice);
    const { home } = this.#runs;
    const { runId } = await this.#start(chosenResume(home, info, { prompt: content, promptId }, by, chosen));
    return runId;
  }
}

const ATTEMPTS = 20;

export function requireFewAttachments(content: readonly Content[]): void {
  const count = content.filter((part) => part.type !== "text").length;
  if (count <= MAX_ATTACHMENTS) return;
  throw new AppError("usage.invalid", `prompt: ${count} attachments are too many; at most ${MAX_ATTACHMENTS}`);
}

function notLive(info: RunInfo): AppError {
  const { status, reason } = info;
  const how = status === "failed" ? `failed (${reason})` : status;
  return new AppError("run.not_live", `run ${runName(info)}: has ended: ${how}; a prompt goes on with it`);
}
