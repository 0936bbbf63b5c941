import { messageOf } from "../../../contract/errors.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { noticeOf, type TakenCheckpoint, takeCheckpoint } from "../../workspaces/checkpoints/checkpoint.ts";
import { openWorkspace, type Workspace } from "../../workspaces/checkpoints/workspace.ts";
import { workDone } from "../../workspaces/work-done.ts";
import type { RunSpec } from "../run-spec.ts";
import type { Commits } from "./commits.ts";

/** The state of the workspace before a run and after each of its turns, where it is a git repository; one after the other. */
export class Checkpoints {
  readonly #runId: string;
  readonly #tell: (event: AgentEvent) => void;
  readonly #workspace: Promise<Workspace | undefined>;
  readonly #commits: Commits | undefined;
  #first: Promise<void> | undefined;
  #taken: { first: TakenCheckpoint; last: TakenCheckpoint } | undefined;
  #last: Promise<void> = Promise.resolve();

  /** `commits`: what an isolated agent committed has to be in the repository before one looks at it. */
  constructor(
    { plan, home }: { plan: Pick<RunSpec["plan"], "cwd">; home: Pick<RunSpec["home"], "root"> },
    { runId }: { runId: string },
    commits: Commits | undefined,
    tell: (event: AgentEvent) => void,
  ) {
    this.#commits = commits;
    this.#runId = runId;
    this.#tell = tell;
    this.#workspace = openWorkspace(plan.cwd, home.root).catch((error: unknown) => this.#failed(error));
  }

  /** The state before the first prompt, whichever way that comes: `turn` 0. */
  takeFirst(): Promise<void> {
    this.#first ??= this.take(0);
    return this.#first;
  }

  take(turn: number): Promise<void> {
    this.#last = this.#last.then(() => this.#take(turn)).catch((error: unknown) => this.#failed(error));
    return this.#last;
  }

  /** When everything that was begun is over. */
  settled(): Promise<void> {
    return this.#last;
  }

  /** It is known that the run left every file, and HEAD, as it found them. */
  get unchanged(): boolean {
    const { first, last } = this.#taken ?? {};
    if (first === undefined || last === undefined || last.skipped.length > 0) return false;
    return first.tree === last.tree && first.head.commit === last.head.commit;
  }

  /** What the run did to the repository, once the last checkpoint is there. */
  async done(): Promise<Partial<RunInfo>> {
    await this.#last;
    const workspace = await this.#workspace;
    if (workspace === undefined || this.#taken === undefined) return {};
    try {
      const { branch, commit, diff_stat } = await workDone(workspace, this.#taken.first, this.#taken.last);
      return { branch, commit, diff_stat };
    } catch (error) {
      this.#failed(error);
      return {};
    }
  }

  async #take(turn: number): Promise<void> {
    await this.#commits?.bringOut();
    const workspace = await this.#workspace;
    if (workspace === undefined) return;
    const taken = await takeCheckpoint(workspace, this.#runId, turn, { before: this.#taken?.last });
    this.#taken = { first: this.#taken?.first ?? taken, last: taken };
    const text = noticeOf(taken.skipped);
    if (text !== undefined) this.#tell({ type: "notice", code: "checkpoint_partial", text });
  }

  /** Undo is a comfort: a run goes on without it. */
  #failed(error: unknown): undefined {
    this.#tell({ type: "notice", code: "no_checkpoint", text: `take checkpoint: ${messageOf(error)}` });
    return undefined;
  }
}

/** What its task is to know of a run's end. */
export const endTerms = (
  { what: { looped, review } }: Pick<RunSpec, "what">,
  checkpoints: Checkpoints | undefined,
) => ({
  looped,
  unchanged: review === "changes" && checkpoints?.unchanged === true,
});
