import type { SentCommand } from "../../contract/commands.ts";
import { AppError } from "../../contract/errors.ts";
import type { AgentEvent, Question, QueuedPrompt, RecordedEvent } from "../../contract/events.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { closing } from "../../contract/sessions/open-items.ts";
import { justStarted, taskChanges } from "../../contract/tasks/task-changes.ts";
import { sweep } from "../../lib/process/stop.ts";
import { type LocalProcess, type OpenedSession, openSession } from "../sessions/open.ts";
import type { AskOutcome } from "../sessions/own-questions.ts";
import { Blobs } from "../store/blobs.ts";
import { postTaskChange } from "../store/bus/lifecycle.ts";
import { EventLog } from "../store/events/event-log.ts";
import { adoptAttachments } from "../store/runs/attachments.ts";
import type { RunPaths } from "../store/runs/run-directory.ts";
import { writeRunInfo } from "../store/runs/run-info.ts";
import { releaseSession } from "../store/runs/session-claims.ts";
import { type BegunRun, beginRun } from "./beginning/begin.ts";
import { auditDecisions } from "./decisions.ts";
import { closedBy, describeCause, failureCause, isExit, openError } from "./ending/end-cause.ts";
import { figuresOf, finishRun } from "./ending/finish.ts";
import { type EndCause, judge } from "./ending/verdict.ts";
import { BudgetWatch } from "./limits/budget.ts";
import { LimitWatch } from "./limits/limits.ts";
import { Tally } from "./limits/tally.ts";
import { conversationLost, firstNotices, optionNotSet, shrunkFile } from "./notices.ts";
import { onTerminal } from "./on-terminal.ts";
import { openSpecOf, retoldSpec } from "./open-spec.ts";
import { Recorder, type Watcher } from "./recorder.ts";
import type { Run, RunSpec } from "./run-spec.ts";
import { Checkpoints, endTerms } from "./workspace/checkpoints.ts";
import { type Commits, commitsOf } from "./workspace/commits.ts";

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
  readonly handle: number;
  readonly paths: RunPaths;
  readonly ended: Promise<RunInfo>;
  readonly #spec: RunSpec;
  readonly #preface: string | undefined;
  readonly #recorder: Recorder;
  readonly #blobs: Blobs;
  /** Of the run it goes on from. */
  readonly #earlier: Blobs | undefined;
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
  readonly #commits: Commits | undefined;
  #checkpoints: Checkpoints | undefined;
  readonly #newCheckpoints = () => new Checkpoints(this.#spec, this, this.#commits, (event) => this.#record(event));

  constructor(spec: RunSpec, { runId, paths, info, preface }: BegunRun) {
    this.#spec = spec;
    this.#preface = preface;
    this.runId = runId;
    this.handle = info.handle;
    this.paths = paths;
    this.#info = info;
    this.#blobs = new Blobs(paths.blobs);
    this.#earlier = spec.earlierBlobs === undefined ? undefined : new Blobs(spec.earlierBlobs);
    this.#recorder = new Recorder(new EventLog(paths.events), this.#blobs, spec.clock, (error) => this.#broken(error));
    this.#recorder.watch((events) => this.#tellTask(events));
    const { project, task } = spec.where;
    this.#recorder.watch(auditDecisions({ home: spec.home, run: runId, project, task, workspace: spec.plan.cwd }));
    this.#limits = new LimitWatch(spec.limits, spec.clock, (cause) => this.stop(cause));
    this.#budget = new BudgetWatch(spec.budgets ?? [], runId, spec.clock, {
      tell: (notice) => this.#record(notice),
      over: (cause) => this.#overBudget(cause),
    });
    this.#commits = commitsOf(spec, this, (event) => this.#record(event));
    this.#opened = this.#open();
    this.#opened.catch(() => {}); // #drive reports it; senders get it too
    this.ended = this.#drive();
  }

  watch(watcher: Watcher): () => void {
    return this.#recorder.watch(watcher);
  }

  async send(command: SentCommand): Promise<void> {
    if (command.type === "stop") return this.stop({ by: "stop", signal: command.signal }, command.graceMs);
    if (this.#cause) throw new AppError("run.not_live", "the run is ending");
    this.#adopt(command);
    const { session } = await this.#opened;
    if (command.type === "prompt") await this.#checkpoints?.takeFirst();
    await session.send(command);
    this.#recorder.flush();
  }

  /** What a prompt brings along becomes the run's own. */
  #adopt(command: SentCommand): void {
    const content =
      command.type === "prompt" ? command.content : command.type === "edit_queue" ? command.edited?.content : [];
    adoptAttachments(this.#spec.home, this.#blobs, content ?? [], this.#earlier);
  }

  async ask(questions: readonly Question[], signal: AbortSignal): Promise<AskOutcome> {
    return (await this.#opened).session.ask(questions, signal);
  }

  stop(cause: EndCause, graceMs = STOP_GRACE_MS): void {
    const first = this.#cause === undefined;
    this.#cause ??= cause.by === "stop" ? { ...cause, inTurn: this.#busy } : cause;
    this.#abortOrClose(first ? graceMs : Math.min(graceMs, 1000), describeCause(this.#cause));
  }

  /** It is told first, so that it leaves its conversation in order: the end of the turn ends the run. */
  #overBudget(cause: EndCause): void {
    if (this.#cause !== undefined) return;
    if (!this.#busy && this.#spec.what.mode === "batch") return; // the work is done, and ends as it would have
    if (!this.#busy || this.#live === undefined) return this.stop(cause);
    this.#cause = cause;
    const close = () => this.#abortOrClose(STOP_GRACE_MS, describeCause(cause));
    this.#live.session.send({ type: "interrupt" }).catch(close);
  }

  /** Before the conversation is open, a prompt that waits for it counts. */
  get #busy(): boolean {
    return this.#live === undefined ? this.#spec.what.prompt.length > 0 : this.#live.session.busy;
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
    const late = this.#spec.clock.after(OPEN_LIMIT_MS, () =>
      this.#abort.abort(new AppError("timeout", `the agent did not open a session within ${OPEN_LIMIT_MS / 1000} s`)),
    );
    try {
      return await this.#openWith(this.#spec, this.#preface);
    } catch (error) {
      const anew = retoldSpec(this.#spec, error);
      if (anew === undefined) throw error;
      this.#record(conversationLost(error));
      await this.#process?.stop(STOP_GRACE_MS);
      return await this.#openWith(anew, [this.#preface, anew.recall].filter(Boolean).join("\n"));
    } finally {
      late();
    }
  }

  async #openWith(spec: RunSpec, preface: string | undefined): Promise<OpenedSession> {
    const { runId, paths } = this;
    return openSession(
      {
        ...openSpecOf(spec, { runId, paths, blobs: this.#blobs, preface }),
        ...(await onTerminal(spec)),
        onProcess: (process) => this.#started(process),
        onShrunk: (file, from, to) => this.#record(shrunkFile(file, from, to)),
      },
      this.#abort.signal,
    );
  }

  async #drive(): Promise<RunInfo> {
    try {
      this.#live = await this.#opened;
      if (this.#spec.protocol !== undefined) this.#checkpoints = this.#newCheckpoints(); // it has no process
      if (this.#cause) this.#abortOrClose(STOP_GRACE_MS, describeCause(this.#cause));
      else await this.#firstPrompt(this.#live);
      for await (const event of this.#live.session.events) this.#hear(event);
    } catch (error) {
      this.#broken(error);
    }
    return this.#finish();
  }

  async #firstPrompt({ session }: OpenedSession): Promise<void> {
    const { what, lineage } = this.#spec;
    const { prompt, promptId = `first-${this.runId}`, queued = [], setOptions = [] } = what;
    for (const notice of firstNotices(this.#spec)) this.#record(notice);
    for (const { id, value } of setOptions) {
      await session
        .send({ type: "set_option", id, value })
        .catch((error: unknown) => this.#record(optionNotSet(id, error)));
    }
    if (prompt.length > 0) {
      await this.#checkpoints?.takeFirst();
      await this.#give(session, { promptId, content: [...prompt], by: lineage.by });
    }
    for (const waiting of queued) await this.#give(session, waiting);
  }

  async #give(session: OpenedSession["session"], { promptId, content, by }: QueuedPrompt): Promise<void> {
    const command: SentCommand = { type: "prompt", promptId, content, delivery: "queue", by };
    this.#adopt(command);
    await session.send(command);
  }

  #hear(event: AgentEvent): void {
    this.#record(event);
    if (event.type === "complete") void this.#checkpoints?.take(this.#tally.turns);
    if (event.type === "complete" && this.#spec.what.mode === "interactive") this.#update(figuresOf(this.#tally));
    if (event.type === "session_status" && "sessionId" in event) {
      this.#update({ session_id: event.sessionId, agent_version: event.agentVersion ?? this.#info.agent_version });
    }
    if (event.type === "complete" && this.#cause?.by === "limit") {
      this.#abortOrClose(STOP_GRACE_MS, describeCause(this.#cause));
    } else if (event.type === "complete" && this.#spec.what.mode === "batch" && !this.#live?.session.busy)
      this.#turnDone();
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
    // Before the conversation is open there is something to wait for too.
    const isIdle = turn === undefined && this.#live !== undefined && !this.#live.session.busy;
    this.#limits.heard(requests.size > 0 ? "waiting" : isIdle ? "idle" : turn === undefined ? "waiting" : "working");
    this.#budget.heard(event);
  }

  #started(process: LocalProcess): void {
    this.#process = process;
    // Once the agent is on its way: nobody waits for git before that.
    this.#checkpoints ??= this.#newCheckpoints();
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
    const { home, where, what, clock } = this.#spec;
    const { project, task } = where;
    const [next, changes] = taskChanges(this.#task, events, what);
    this.#task = next;
    for (const change of changes) postTaskChange(home, { project, task, run: this.runId }, change, clock.now());
  }

  async #finish(): Promise<RunInfo> {
    this.#limits.end();
    this.#budget.end();
    await this.#process?.stop(STOP_GRACE_MS);
    await sweep({ name: "COX_RUN_ID", value: this.runId }, 1000);
    await this.#checkpoints?.settled();
    await this.#commits?.end();
    if (this.#recorder.open.turn !== undefined) void this.#checkpoints?.take(this.#tally.turns + 1);
    this.#info = { ...this.#info, ...(await this.#checkpoints?.done()) };
    const exit = this.#live?.lastExit() ?? (await this.#process?.exited);
    const cause = this.#cause?.by === "failure" && isExit(this.#cause, exit) ? undefined : this.#cause;
    const lastTurn = this.#recorder.open.turn === undefined ? this.#tally.lastOutcome : "open";
    const verdict = judge({ cause, exit, lastTurn, lastError: this.#tally.lastError });
    const reason = verdict.summary || "done";
    for (const event of [...closing(this.#recorder.open, reason), closedBy(reason, exit)]) {
      this.#tally.add(event);
      this.#recorder.record(event);
    }
    const run = { ...this.#spec, runId: this.runId, paths: this.paths, ...endTerms(this.#spec, this.#checkpoints) };
    const info = finishRun(run, this.#info, verdict, this.#tally, () => this.#recorder.close());
    const { home, plan, lineage } = this.#spec;
    const session = lineage.conversation && { agent: plan.agent, sessionId: lineage.conversation.sessionId };
    if (session) releaseSession(home, session, this.runId);
    return info;
  }
}
