import { basename } from "node:path";
import type { SentCommand } from "../../contract/commands.ts";
import { AppError, messageOf } from "../../contract/errors.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Exit } from "../../lib/process/exit.ts";
import { buildEnvironment } from "../../lib/process/path/environment.ts";
import { type Pty, startPty } from "../../lib/process/terminal/pty.ts";
import { shellWords } from "../../lib/text/shell-words.ts";
import { Blobs } from "../store/blobs.ts";
import { EventLog } from "../store/events/event-log.ts";
import { Recording } from "../store/events/recording.ts";
import type { Home } from "../store/home.ts";
import { writeRunInfo } from "../store/runs/run-info.ts";
import { type BegunRun, beginRun } from "./begin.ts";
import { closedBy, failureCause } from "./ending/end-cause.ts";
import { finishRun } from "./ending/finish.ts";
import { type EndCause, judge } from "./ending/verdict.ts";
import { Tally } from "./limits/tally.ts";
import { Recorder } from "./recorder.ts";
import { environmentOf } from "./run-environment.ts";

export interface WrapSpec {
  home: Home;
  project: string;
  task: string;
  agent: string;
  /** Absolute. */
  file: string;
  args: readonly string[];
  cwd: string;
  callerEnv: NodeJS.ProcessEnv;
  parentRunId?: string;
  bin: string;
  size: { cols: number; rows: number };
  /** Words for `stty`. */
  modes: readonly string[];
  clock: Clock;
  /** What the program prints. It is in the recording by then. */
  onData(chunk: Buffer): void;
}

/** A person's own session in a terminal, kept like any run: the person types, we only write down what is shown. */
export interface WrappedRun {
  readonly runId: string;
  readonly pty: Pty;
  resize(cols: number, rows: number): void;
  /** From other terminals: it can be stopped, typed into and resized. */
  send(command: SentCommand): Promise<void>;
  /** Never rejects. The program's exit code is the run's. */
  readonly ended: Promise<RunInfo>;
}

const STOP_GRACE_MS = 5000;

export async function startWrap(spec: WrapSpec): Promise<WrappedRun> {
  const run = new Wrap(spec, begin(spec));
  return run.start();
}

function begin({ file, args, agent, cwd, ...spec }: WrapSpec): BegunRun {
  return beginRun({
    ...spec,
    ...placeOf(spec),
    plan: { agent, modelName: "", cwd, argv: [file, ...args] },
    who: { profile: "" },
    what: { prompt: [], mode: "interactive", title: shellWords([basename(file), ...args]), preamble: false },
    limits: {},
  });
}

const placeOf = ({ project, task, parentRunId }: Pick<WrapSpec, "project" | "task" | "parentRunId">) => ({
  where: { project, task },
  lineage: { by: "", parent: parentRunId },
});

class Wrap {
  readonly runId: string;
  readonly #spec: WrapSpec;
  readonly #begun: BegunRun;
  readonly #recorder: Recorder;
  readonly #began: number;
  #recording: Recording | undefined;
  #info: RunInfo;
  #cause: EndCause | undefined;

  constructor(spec: WrapSpec, begun: BegunRun) {
    const { paths, info, runId } = begun;
    this.#spec = spec;
    this.#begun = begun;
    this.runId = runId;
    this.#info = info;
    this.#began = spec.clock.monotonic();
    // A full disk doesn't disturb the person: what it did not take is tried again at the end, and else by the next `cox`.
    this.#recorder = new Recorder(new EventLog(paths.events), new Blobs(paths.blobs), spec.clock, () => {});
  }

  async start(): Promise<WrappedRun> {
    this.#keep(() => {
      const bareLines = this.#spec.modes.includes("-opost");
      this.#recording = new Recording(this.#begun.paths, this.#header(), { bareLines });
    });
    let pty: Pty;
    try {
      pty = await this.#open();
    } catch (error) {
      this.#cause = failureCause(error, false);
      this.#finish(undefined);
      throw error;
    }
    this.#info = { ...this.#info, pid: pty.pid, pgid: pty.pid, agent_start: pty.startTime };
    writeRunInfo(this.#begun.paths.info, this.#info);
    this.#recorder.record({ type: "session_status", status: "new", sessionId: "" });
    const ended = pty.exited.then((exit) => this.#finish(exit));
    return {
      runId: this.runId,
      pty,
      ended,
      resize: (cols, rows) => this.#resize(pty, cols, rows),
      send: (command) => this.#send(pty, command),
    };
  }

  #open(): Promise<Pty> {
    const { file, args, cwd, callerEnv, size, modes } = this.#spec;
    return startPty({
      file,
      args,
      cwd,
      // The person's own environment, whole: it is their session.
      env: buildEnvironment({
        caller: callerEnv,
        definition: {},
        run: environmentOf(
          { ...this.#spec, ...placeOf(this.#spec) },
          { runId: this.runId, paths: this.#begun.paths },
          undefined,
        ),
        keep: Object.keys(callerEnv),
        clean: false,
      }),
      ...size,
      modes,
      marker: { name: "COX_RUN_ID", value: this.runId },
      onData: (chunk) => {
        this.#keep(() => this.#recording?.output(this.#elapsed(), chunk));
        this.#spec.onData(chunk);
      },
    });
  }

  #header() {
    const { size, clock, callerEnv, file, args } = this.#spec;
    const env = Object.fromEntries(
      ["SHELL", "TERM"].flatMap((name) => (callerEnv[name] === undefined ? [] : [[name, callerEnv[name]]])),
    );
    const timestamp = Math.floor(clock.now() / 1000);
    return { width: size.cols, height: size.rows, timestamp, command: shellWords([file, ...args]), env };
  }

  #resize(pty: Pty, cols: number, rows: number): void {
    pty.resize(cols, rows);
    this.#keep(() => this.#recording?.resize(this.#elapsed(), cols, rows));
  }

  async #send(pty: Pty, command: SentCommand): Promise<void> {
    switch (command.type) {
      case "stop":
        this.#cause ??= { by: "stop" };
        void pty.stop(command.graceMs ?? STOP_GRACE_MS);
        return;
      case "input":
        return pty.write(Buffer.from(command.data));
      case "resize":
        return this.#resize(pty, command.cols, command.rows);
      default: {
        const message = `run ${this.runId}: is a person's own terminal; ${command.type} has no meaning there`;
        throw new AppError("command.unsupported", message);
      }
    }
  }

  /** A full disk ends the recording, not the session; the record says so. */
  #keep(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#recording = undefined;
      const text = `the terminal is not recorded any further: ${messageOf(error)}`;
      this.#recorder.record({ type: "notice", code: "recording_stopped", text });
    }
  }

  #finish(exit: Exit | undefined): RunInfo {
    this.#keep(() => this.#recording?.close(this.#elapsed()));
    const verdict = judge({ cause: this.#cause, exit, lastTurn: undefined, lastError: undefined });
    const reason = verdict.summary || "done";
    this.#recorder.record(closedBy(reason, exit));
    const run = { ...this.#spec, runId: this.runId, paths: this.#begun.paths };
    return finishRun(run, this.#info, verdict, new Tally(), () => this.#recorder.close());
  }

  #elapsed(): number {
    return (this.#spec.clock.monotonic() - this.#began) / 1000;
  }
}
