import { randomUUID } from "node:crypto";
import type { SentCommand } from "../contract/commands.ts";
import { AppError } from "../contract/errors.ts";
import type { AgentEvent, Question, RecordedEvent } from "../contract/events.ts";
import { closing } from "../contract/open-items.ts";
import type { RunInfo } from "../contract/run.ts";
import { justStarted, taskChanges } from "../contract/task-changes.ts";
import { sweep } from "../process/stop.ts";
import { type LocalProcess, type OpenedSession, openSession } from "../sessions/open.ts";
import type { AskOutcome } from "../sessions/own-questions.ts";
import { Blobs } from "../store/blobs.ts";
import { EventLog } from "../store/event-log.ts";
import { postTaskChange } from "../store/lifecycle.ts";
import type { RunPaths } from "../store/run-directory.ts";
import { writeRunInfo } from "../store/run-info.ts";
import { type BegunRun, beginRun } from "./begin.ts";
import { BudgetWatch } from "./budget.ts";
import { Checkpoints } from "./checkpoints.ts";
import { describeCause, failureCause, isExit, openError } from "./end-cause.ts";
import { finishRun } from "./finish.ts";
import { LimitWatch } from "./limits.ts";
import { Recorder, type Watcher } from "./recorder.ts";
import { environmentOf } from "./run-environment.ts";
import type { Run, RunSpec } from "./run-spec.ts";
import { Tally } from "./tally.ts";
import { serversOf } from "./tool-server.ts";
import { type EndCause, judge } from "./verdict.ts";

export type { Run, RunSpec };

const STOP_GRACE_MS = 5000;
const OPEN_LIMIT_MS = 120_000;

/**
 * One run from its directory to its end record. What can be refused is refused before anything is half made; after that,
 * whatever goes wrong is a fact of the run.
 */
export function startRun(spec: RunSpec): Run {
  return new LiveRun(spec, beginRun(spec));
}

class LiveRun implements Run {
  readonly runId: string;
  readonly paths: RunPaths;
  readonly ended: Promise<RunInfo>;
  readonly #spec: RunSpec;
  readonly #preface: string | undefined;
  readonly #recorder: Recorder;
  readonly #blobs: Blobs;
  readonly #limits: LimitWatch;
  readonly #budget: BudgetWatch;
  readonly #abort = new AbortController();
  readonly #opened: Promise<OpenedSession>;
  readonly #tally = new Tally();
  #info: RunInfo;
  #process: LocalProcess | undefined;
  #live: OpenedSession | undefined;
  #cause: EndCause | undefined;
  #task = justStarted;
  #checkpoints: Checkpoints | undefined;

  constructor(spec: RunSpec, { runId, paths, info, preface }: BegunRun) {
    this.#spec = spec;
    this.#preface = preface;
    this.runId = runId;
    this.paths = paths;
    this.#info = info;
    this.#blobs = new Blobs(paths.blobs);
    this.#recorder = new Recorder(new EventLog(paths.events), this.#blobs, spec.clock, (error) => this.#broken(error));
    this.#recorder.watch((events) => this.#tellTask(events));
    this.#limits = new LimitWatch(spec.limits, spec.clock, (cause) => this.stop(cause));
    this.#budget = new BudgetWatch(spec.budgets ?? [], runId, spec.clock, {
      tell: (notice) => this.#record(notice),
      over: (cause) => this.#overBudget(cause),
    });
    this.#opened = this.#open();
    this.#opened.catch(() => {}); // #drive reports it; senders get it too
    this.ended = this.#drive();
  }

  watch(watcher: Watcher): () => void {
    return this.#recorder.watch(watcher);
  }

  async send(command: SentCommand): Promise<void> {
    if (command.type === "stop") return this.stop({ by: "stop" }, command.graceMs);
    if (this.#cause) throw new AppError("run.not_live", `run ${this.runId}: is ending`);
    const { session } = await this.#opened;
    await session.send(command);
    this.#recorder.flush();
  }

  async ask(questions: readonly Question[], signal: AbortSignal): Promise<AskOutcome> {
    const { session } = await this.#opened;
    return session.ask(questions, signal);
  }

  stop(cause: EndCause, graceMs = STOP_GRACE_MS): void {
    const first = this.#cause === undefined;
    this.#cause ??= cause.by === "stop" ? { ...cause, inTurn: this.#busy } : cause;
    this.#abortOrClose(first ? graceMs : Math.min(graceMs, 1000), describeCause(this.#cause));
  }

  /** It is told first, so that it leaves its conversation in order: the end of the turn ends the run. */
  #overBudget(cause: EndCause): void {
    if (this.#cause !== undefined) return;
    if (!this.#busy && this.#spec.mode === "batch") return; // the work is done, and ends as it would have
    if (!this.#busy || this.#live === undefined) return this.stop(cause);
    this.#cause = cause;
    const close = () => this.#abortOrClose(STOP_GRACE_MS, describeCause(cause));
    this.#live.session.send({ type: "interrupt" }).catch(close);
  }

  /** Before the conversation is open, a prompt that waits for it counts. */
  get #busy(): boolean {
    return this.#live === undefined ? this.#spec.prompt.length > 0 : this.#live.session.busy;
  }

  #abortOrClose(graceMs: number, reason: string): void {
    if (this.#live === undefined) return this.#abort.abort(new AppError("run.not_live", reason));
    const { session } = this.#live;
    const urgent = session.busy;
    session.close(reason).catch((error: unknown) => this.#broken(error));
    // In the middle of a turn the agent isn't waiting for the end of its input: it is told by signal.
    if (urgent) void this.#process?.stop(graceMs);
  }

  async #open(): Promise<OpenedSession> {
    const spec = this.#spec;
    const socket = spec.agentSocket?.(this.runId);
    const late = spec.clock.after(OPEN_LIMIT_MS, () =>
      this.#abort.abort(new AppError("timeout", `the agent did not open a session within ${OPEN_LIMIT_MS / 1000} s`)),
    );
    try {
      return await openSession(
        {
          plan: spec.plan,
          executor: spec.executor,
          runId: this.runId,
          callerEnv: spec.callerEnv,
          cleanEnv: spec.cleanEnv,
          runEnv: { ...spec.env, ...environmentOf(spec, this, socket) },
          stdoutPath: this.paths.stdout,
          stderrPath: this.paths.stderr,
          policy: spec.policy,
          resume: spec.resume,
          mcpServers: serversOf(spec, socket),
          clock: spec.clock,
          prices: spec.prices,
          preface: this.#preface,
          retold: spec.recall !== undefined && spec.recall !== "",
          readBlob: (sha256) => Promise.resolve(this.#blobs.read(sha256)),
          onProcess: (process) => this.#started(process),
          onShrunk: (file, from, to) => this.#record(shrunk(file, from, to)),
        },
        this.#abort.signal,
      );
    } finally {
      late();
    }
  }

  async #drive(): Promise<RunInfo> {
    try {
      this.#live = await this.#opened;
      if (this.#cause) this.#abortOrClose(STOP_GRACE_MS, describeCause(this.#cause));
      else await this.#firstPrompt(this.#live);
      for await (const event of this.#live.session.events) this.#hear(event);
    } catch (error) {
      this.#broken(error);
    }
    return this.#finish();
  }

  async #firstPrompt({ session }: OpenedSession): Promise<void> {
    if (this.#spec.prompt.length === 0) return;
    await this.#checkpoints?.take(0);
    const content = [...this.#spec.prompt];
    await session.send({ type: "prompt", promptId: randomUUID(), content, delivery: "queue", by: this.#spec.by });
  }

  #hear(event: AgentEvent): void {
    this.#record(event);
    if (event.type === "complete") void this.#checkpoints?.take(this.#tally.turns);
    if (event.type === "session_status" && "sessionId" in event) {
      this.#update({ session_id: event.sessionId, agent_version: event.agentVersion ?? this.#info.agent_version });
    }
    if (event.type === "complete" && this.#cause?.by === "limit") {
      this.#abortOrClose(STOP_GRACE_MS, describeCause(this.#cause));
    } else if (event.type === "complete" && this.#spec.mode === "batch" && !this.#live?.session.busy) this.#turnDone();
  }

  /** An agent whose exit ended the turn is judged by that exit. */
  #turnDone(): void {
    const exit = this.#live?.lastExit();
    if (exit === undefined || exit.code === 0) this.#cause ??= { by: "turn_complete" };
    this.#live?.session.close("the turn is complete").catch((error: unknown) => this.#broken(error));
  }

  #record(event: AgentEvent): void {
    this.#tally.add(event);
    this.#recorder.record(event);
    const { turn, requests } = this.#recorder.open;
    this.#limits.heard(turn !== undefined && requests.size === 0);
    this.#budget.heard(event);
  }

  #started(process: LocalProcess): void {
    this.#process = process;
    // Once the agent is on its way: nobody waits for git before that.
    this.#checkpoints ??= new Checkpoints(this.#spec.plan.cwd, this.#spec.home.root, this.runId, (event) =>
      this.#record(event),
    );
    this.#update({ pid: process.pid, pgid: process.pgid, agent_start: process.startTime });
  }

  #update(changes: Partial<RunInfo>): void {
    this.#info = { ...this.#info, ...changes };
    writeRunInfo(this.paths.info, this.#info);
  }

  /** Something of ours broke, or the agent could not be opened: this run ends, and says why. */
  #broken(error: unknown): void {
    if (this.#cause === undefined || this.#cause.by === "turn_complete") {
      this.#cause = failureCause(error, this.#process !== undefined);
      if (error instanceof AppError && error.code !== "internal") this.#record(openError(error));
    }
    void this.#process?.stop(STOP_GRACE_MS);
  }

  #tellTask(events: readonly RecordedEvent[]): void {
    const { home, project, task, clock } = this.#spec;
    const [next, changes] = taskChanges(this.#task, events, this.#spec);
    this.#task = next;
    for (const change of changes) postTaskChange(home, { project, task, run: this.runId }, change, clock.now());
  }

  async #finish(): Promise<RunInfo> {
    this.#limits.end();
    this.#budget.end();
    await this.#process?.stop(STOP_GRACE_MS);
    await sweep({ name: "COX_RUN_ID", value: this.runId }, 1000);
    if (this.#recorder.open.turn !== undefined) void this.#checkpoints?.take(this.#tally.turns + 1);
    this.#info = { ...this.#info, ...(await this.#checkpoints?.done()) };
    const exit = this.#live?.lastExit() ?? (await this.#process?.exited);
    const cause = this.#cause?.by === "failure" && isExit(this.#cause, exit) ? undefined : this.#cause;
    const lastTurn = this.#recorder.open.turn === undefined ? this.#tally.lastOutcome : "open";
    const verdict = judge({ cause, exit, lastTurn, lastError: this.#tally.lastError });
    const reason = verdict.summary || "done";
    const closed: AgentEvent = {
      type: "session_status",
      status: "closed",
      reason,
      exitCode: exit?.code,
      signal: exit?.signal,
    };
    for (const event of [...closing(this.#recorder.open, reason), closed]) {
      this.#tally.add(event);
      this.#recorder.record(event);
    }
    return finishRun({ ...this.#spec, runId: this.runId, paths: this.paths }, this.#info, verdict, this.#tally, () =>
      this.#recorder.close(),
    );
  }
}

function shrunk(file: string, from: number, to: number): AgentEvent {
  const text = `${file} shrank from ${from} to ${to} bytes: something in the agent's tree truncated it`;
  return { type: "notice", code: "shrunk_file", text };
}
