import type { AgentResults, ChildLimits, GivenTo, RunReport } from "../../contract/agent-socket.ts";
import { AppError } from "../../contract/errors.ts";
import { runName, shorten } from "../../contract/ids.ts";
import type { RunInfo, RunSummary } from "../../contract/runs/run.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { readOutput } from "../store/events/output.ts";
import { type Home, runFolder } from "../store/home.ts";
import { descendants, requirePlace } from "../store/runs/lineage.ts";
import { type RunPaths, runPaths } from "../store/runs/run-directory.ts";
import { readRunInfo } from "../store/runs/run-info.ts";
import { untilEnded } from "../store/runs/until-ended.ts";
import type { AgentCalls } from "./tools/perform.ts";

const MAX_OUTPUT_BYTES = 1024 * 1024;

/** How a run is started, and how lost ones are ended, is known to whoever wires things together. */
export interface ChildWiring {
  startChild(wish: GivenTo<"spawn_run">): Promise<AgentResults["spawn_run"]>;
  heal(): Promise<unknown>;
}

/** What a run started: it may start more within its limits, and see these, but no other run. */
export class OwnChildren {
  readonly #home: Home;
  readonly #runId: string;
  readonly #limits: ChildLimits;
  readonly #wiring: ChildWiring;
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();

  constructor(home: Home, runId: string, limits: ChildLimits, wiring: ChildWiring, clock: Clock) {
    this.#home = home;
    this.#runId = runId;
    this.#limits = limits;
    this.#wiring = wiring;
    this.#clock = clock;
  }

  calls(): Pick<AgentCalls, "spawn_run" | "wait_run" | "run_status"> {
    return {
      spawn_run: (wish) => this.#spawn(wish),
      wait_run: (params, signal) => this.#wait(params, signal),
      run_status: async ({ run_id, output }) => this.#status(run_id, output),
    };
  }

  /** One after the other: of two at once both would see the last free place. */
  #spawn(wish: GivenTo<"spawn_run">): Promise<AgentResults["spawn_run"]> {
    const started = this.#last.then(() => {
      requirePlace(this.#home, this.#runId, this.#limits);
      return this.#wiring.startChild(wish);
    });
    this.#last = started.catch(() => {}); // told to whoever asked; the next one is not concerned
    return started;
  }

  async #wait({ run_ids, timeout_s }: GivenTo<"wait_run">, signal: AbortSignal): Promise<AgentResults["wait_run"]> {
    const paths = run_ids.map((id) => this.#pathsOf(id));
    const reports = () => paths.map((path) => reportOf(infoAt(path)));
    const left = await untilEnded(this.#home, () => reports().filter(({ status }) => status === "running"), {
      clock: this.#clock,
      heal: () => this.#wiring.heal(),
      limitMs: timeout_s * 1000,
      signal,
    });
    return { ended: left.length === 0, runs: reports() };
  }

  #status(runId: string, withOutput: boolean): AgentResults["run_status"] {
    const paths = this.#pathsOf(runId);
    const report = reportOf(infoAt(paths));
    if (!withOutput) return report;
    const { text, bytes } = readOutput(paths, MAX_OUTPUT_BYTES);
    return { ...report, output: text, output_bytes: bytes };
  }

  #pathsOf(runId: string): RunPaths {
    const run = descendants(this.#home, this.#runId).find((each) => each.run_id === runId || runName(each) === runId);
    if (run !== undefined) return pathsOf(this.#home, run);
    throw new AppError("run.not_found", `run ${shorten(runId)}: not one that this run has started`);
  }
}

const pathsOf = (home: Home, { project, task, run_id }: RunSummary) => runPaths(runFolder(home, project, task, run_id));

function infoAt({ info: path, dir }: RunPaths): RunInfo {
  const info = readRunInfo(path);
  if (info === undefined) throw new AppError("run.not_found", `${dir}: is gone`);
  return info;
}

function reportOf(info: RunInfo): RunReport {
  return {
    run_id: info.run_id,
    task: info.task_id,
    agent: info.agent,
    status: info.status,
    reason: info.reason,
    exit_code: info.exit_code,
    error: info.error_summary,
    started: info.start_time,
    ended: info.end_time,
  };
}
