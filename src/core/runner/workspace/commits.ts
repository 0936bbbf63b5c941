import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError, messageOf } from "../../../contract/errors.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Executor } from "../../sessions/open.ts";
import type { RunPaths } from "../../store/runs/run-directory.ts";
import type { Fence } from "../../workspaces/fence/fence.ts";
import { OUTCOME_SCRIPT } from "../../workspaces/fence/outcome.ts";
import { MAX_OUTCOME_BYTES } from "../../workspaces/fence/take-out.ts";
import type { RunSpec } from "../run-spec.ts";

interface CommitsOf {
  fence: Fence;
  executor: Executor;
  runId: string;
  runDirectory: string;
  cwd: string;
  path: string;
  clock: Clock;
}

/** Of an isolated run only: what others commit is in the repository already. */
export function commitsOf(
  { fence, executor, plan, callerEnv, clock }: Pick<RunSpec, "fence" | "executor" | "plan" | "callerEnv" | "clock">,
  { runId, paths }: { runId: string; paths: RunPaths },
  tell: (event: AgentEvent) => void,
): Commits | undefined {
  if (fence === undefined || executor === undefined) return undefined;
  const place = { runId, runDirectory: paths.dir, cwd: plan.cwd, path: callerEnv.PATH ?? "/usr/bin:/bin" };
  return new Commits({ ...place, fence: fence(paths.dir), executor, clock }, tell);
}

/**
 * What an isolated agent commits, brought out after each turn. The agent's git directory is never looked into from here: git is
 * asked in a place like the agent's own, and what it answers is checked.
 */
export class Commits {
  readonly #of: CommitsOf;
  readonly #tell: (event: AgentEvent) => void;
  #ended = false;
  /** Said once, however often it is tried. */
  #failure = "";

  constructor(of: CommitsOf, tell: (event: AgentEvent) => void) {
    this.#of = of;
    this.#tell = tell;
  }

  /** Never rejects: the work is still in the files, and whoever reads the run is told. */
  async bringOut(): Promise<void> {
    const { fence, executor, runDirectory } = this.#of;
    try {
      if (!this.#ended && fence.hasNews()) await fence.take(await this.#ask());
    } catch (error) {
      const text = `take the agent's commits out of its ${executor.name}: ${messageOf(error)}; they are in ${runDirectory}/git, which only git in a sandbox should look into`;
      if (text !== this.#failure) this.#tell({ type: "notice", code: "git_not_taken", text });
      this.#failure = text;
    }
    this.#say();
  }

  /** What the person should know of the agent's git. */
  #say(): void {
    for (const notice of this.#of.fence.notices()) this.#tell({ type: "notice", ...notice });
  }

  /** When nothing of the agent is left. */
  async end(): Promise<void> {
    await this.bringOut();
    this.#ended = true;
    try {
      await this.#of.fence.close();
    } catch (error) {
      this.#tell({ type: "notice", code: "git_left", text: `put the workspace's git in order: ${messageOf(error)}` });
    }
    this.#say();
  }

  async #ask(): Promise<Buffer> {
    const { fence, executor, runId, runDirectory, cwd, path, clock } = this.#of;
    const stdoutPath = join(runDirectory, "git-outcome");
    const stderrPath = join(runDirectory, "git-outcome.err");
    const clean = () => {
      for (const file of [stdoutPath, stderrPath]) rmSync(file, { force: true });
    };
    clean();
    try {
      const process = await executor.start({
        file: "/bin/sh",
        args: ["-c", OUTCOME_SCRIPT],
        cwd,
        env: { PATH: path, LC_ALL: "C" },
        stdoutPath,
        stderrPath,
        // By the mark of the run it would be ended with the agent, and the agent with it.
        marker: { name: "COX_GIT_OF_RUN", value: runId },
        stdin: fence.known() || "\n",
        maxBytes: MAX_OUTCOME_BYTES,
        aside: true,
      });
      const late = clock.after(LIMIT_MS, () => void process.stop(0));
      const { code, reason } = await process.exited;
      late();
      await process.stop(0);
      if (code !== 0)
        throw new AppError(
          "agent.failed",
          reason ?? `git: exit ${code}: ${process.stderrTail().trim().split("\n")[0]}`,
        );
      if (statSync(stdoutPath).size > MAX_OUTCOME_BYTES) throw new AppError("limit.exceeded", "they are too large");
      return readFileSync(stdoutPath);
    } finally {
      clean();
    }
  }
}

const LIMIT_MS = 5 * 60_000;
