import { basename } from "node:path";
import type { SentCommand } from "../../contract/commands.ts";
import { AppError, messageOf } from "../../contract/errors.ts";
import { runName } from "../../contract/ids.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { tailFile } from "../../lib/files/tail.ts";
import type { Exit } from "../../lib/process/exit.ts";
import { buildEnvironment } from "../../lib/process/path/environment.ts";
import { type Pty, startPty } from "../../lib/process/terminal/pty.ts";
import { shellWords } from "../../lib/text/shell-words.ts";
import { Blobs } from "../store/blobs.ts";
import { EventLog } from "../store/events/event-log.ts";
import { Recording } from "../store/events/recording.ts";
import type { Home } from "../store/home.ts";
import { writeRunInfo } from "../store/runs/run-info.ts";
import { type BegunRun, beginRun } from "./beginning/begin.ts";
import { environmentOf } from "./beginning/run-environment.ts";
import { closedBy, failureCause } from "./ending/end-cause.ts";
import { finishRun } from "./ending/finish.ts";
import { type EndCause, judge } from "./ending/verdict.ts";
import { Tally } from "./limits/tally.ts";
import { Recorder } from "./recorder.ts";

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
  /** What it prints on stderr, where that is kept apart; else it is the terminal's, as all that a person sees. */
  onStderr?: ((chunk: Buffer) => void) | undefined;
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
    const shown = this.#tellStderr(pty.exited);
    const ended = pty.exited.then(async (exit) => {
      await shown;
      return this.#finish(exit);
    });
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
      ...(this.#spec.onStderr === undefined ? {} : { stderrPath: this.#begun.paths.stderr }),
      marker: { name: "COX_RUN_ID", value: this.runId },
      onData: (chunk) => {
        this.#keep(() => this.#recording?.output(this.#elapsed(), chunk));
        this.#spec.onData(chunk);
      },
    });
  }

  /** It is in the file already; who watches gets it from there. A file that can't be read any more is not the program's fault. */
  async #tellStderr(until: Promise<unknown>): Promise<void> {
    const { onStderr } = this.#spec;
    if (onStderr === undefined) return;
    try {
      for await (const chunk of tailFile(this.#begun.paths.stderr, { until })) onStderr(chunk);
    } catch (error) {
      const text = `what is on stderr is not shown any further: ${messageOf(error)}`;
      this.#recorder.record({ type: "notice", code: "recording_stopped", text });
    }
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
        const message = `run ${runName(this.#info)}: is a person's own terminal; ${command.type} has no meaning there`;
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
