import { AppError } from "../../../contract/errors.ts";
import { isRunId, shorten } from "../../../contract/ids.ts";
import { line, plumbing, shown } from "../git/git.ts";
import { type Head, headOf } from "../git/repository.ts";
import type { Skipped, SnapshotLimits } from "./snapshot.ts";
import { presentState, type Workspace } from "./workspace.ts";

/**
 * The whole working tree at one moment: a commit without parents under a hidden ref. `refs/cox/<run>/<n>` is the state after
 * turn n (0: before the first); `refs/cox/<run>/undo/<k>` is what an undo replaced and `after/<k>` what it left, so that it can
 * be taken back.
 */
export interface Checkpoint {
  run: string;
  kind: "turn" | "undo" | "after";
  n: number;
  commit: string;
  at: string;
  /** Where the person's HEAD stood. */
  head: Head;
  skipped: Skipped[];
  /** Of an `after`: what was done. */
  step?: UndoStep;
}

/** One change of the files by us. */
export interface UndoStep {
  did: "undo" | "redo" | "discard";
  /** The turn that the run's work stands at since, and stood at before. */
  turn: number;
  was: number;
  /** The run's last turn then: after another one, this is history. */
  lastTurn: number;
}

export interface TakenCheckpoint extends Checkpoint {
  tree: string;
}

/** `before`: the last one of this run. Where nothing is other than it was then, its commit stands for this moment too. */
export async function takeCheckpoint(
  workspace: Workspace,
  run: string,
  n: number,
  {
    kind = "turn",
    limits,
    before,
    step,
  }: { kind?: Checkpoint["kind"]; limits?: SnapshotLimits; before?: TakenCheckpoint; step?: UndoStep } = {},
): Promise<TakenCheckpoint> {
  const ref = refOf(run, kind, n);
  const { root } = workspace.repository;
  const [{ tree, skipped }, head] = await Promise.all([presentState(workspace, limits), headOf(root)]);
  const note = JSON.stringify({ head, skipped, step } satisfies Note);
  const isSame = before?.tree === tree && JSON.stringify({ head: before.head, skipped: before.skipped }) === note;
  const commit = isSame ? before.commit : await commitTree(workspace, tree, `${kind} ${n} of run ${run}\n\n${note}`);
  await plumbing(root, ["update-ref", "--no-deref", ref, commit], { settings: NO_REFLOG, writes: true });
  return { run, kind, n, commit, at: new Date().toISOString(), head, skipped, step, tree };
}

async function commitTree({ shadow }: Workspace, tree: string, message: string): Promise<string> {
  const input = `cox checkpoint ${message}\n`;
  return line(await shadow.git(["commit-tree", tree], { input, env: AUTHOR, writes: true }));
}

/** By number; turns, then what undos replaced, then what they left. */
export async function listCheckpoints(cwd: string, run: string): Promise<Checkpoint[]> {
  const format = "%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents:body)%00";
  const { stdout } = await plumbing(cwd, ["for-each-ref", `--format=${format}`, `${refsOf(run)}/`]);
  const fields = stdout.toString("utf8").split("\0").slice(0, -1);
  const found: Checkpoint[] = [];
  for (let i = 0; i + 3 < fields.length; i += 4) {
    const [ref = "", commit = "", seconds = "", body = ""] = fields.slice(i, i + 4);
    const match = /^\/(?:(undo|after)\/)?(\d+)$/.exec(ref.trim().slice(refsOf(run).length));
    const note = noteOf(body);
    if (match === null || note === undefined) continue;
    const kind = KINDS.find((each) => each === match[1]) ?? "turn";
    found.push({ run, kind, n: Number(match[2]), commit, at: new Date(Number(seconds) * 1000).toISOString(), ...note });
  }
  return found.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.n - b.n);
}

const KINDS = ["turn", "undo", "after"] as const;

/** The objects go with git's next clean-up. Returns how many there were. */
export async function deleteCheckpoints(cwd: string, run: string): Promise<number> {
  const refs = line(await plumbing(cwd, ["for-each-ref", "--format=%(refname)", `${refsOf(run)}/`]))
    .split("\n")
    .filter((ref) => ref !== "");
  if (refs.length === 0) return 0;
  const input = refs.map((ref) => `delete ${ref}\n`).join("");
  await plumbing(cwd, ["update-ref", "--no-deref", "--stdin"], { input, settings: NO_REFLOG, writes: true });
  return refs.length;
}

export function requireCheckpoint(list: readonly Checkpoint[], kind: Checkpoint["kind"], n: number): Checkpoint {
  const found = list.find((each) => each.kind === kind && each.n === n);
  if (found !== undefined) return found;
  const turns = list.filter((each) => each.kind === "turn").map((each) => each.n);
  const there = turns.length === 0 ? "it has no checkpoints" : `it has those of turns ${turns.join(", ")}`;
  throw new AppError("usage.invalid", `turn ${n}: the run has no checkpoint of it; ${there}`);
}

/** For people: what a checkpoint could not take. */
export function noticeOf(skipped: readonly Skipped[]): string | undefined {
  if (skipped.length === 0) return undefined;
  const some = skipped.slice(0, 3).map(({ path, why }) => `${shorten(shown(path))} (${REASONS[why]})`);
  const more = skipped.length > some.length ? ` and ${skipped.length - some.length} more` : "";
  return `not in the checkpoint, so undo leaves it alone: ${some.join(", ")}${more}`;
}

const REASONS = { large: "too large", unreadable: "not readable", repository: "a repository of its own" };

export function refsOf(run: string): string {
  if (isRunId(run)) return `refs/cox/${run}`;
  throw new AppError("id.invalid", `run ${shorten(run)}: not a run's id`);
}

function refOf(run: string, kind: Checkpoint["kind"], n: number): string {
  if (!Number.isSafeInteger(n) || n < 0) throw new AppError("id.invalid", `turn ${n}: not a number of a turn`);
  return kind === "turn" ? `${refsOf(run)}/${n}` : `${refsOf(run)}/${kind}/${n}`;
}

type Note = Pick<Checkpoint, "head" | "skipped" | "step">;

/** Refs are everybody's to write: one that isn't ours is passed over. */
function noteOf(body: string): Note | undefined {
  try {
    const { head, skipped, step }: Partial<Note> = JSON.parse(body);
    return typeof head === "object" && Array.isArray(skipped) ? { head, skipped, step } : undefined;
  } catch {
    return undefined;
  }
}

const AUTHOR = {
  GIT_AUTHOR_NAME: "Coxswain",
  GIT_AUTHOR_EMAIL: "cox@localhost",
  GIT_COMMITTER_NAME: "Coxswain",
  GIT_COMMITTER_EMAIL: "cox@localhost",
};
/** Also where somebody logs all refs. */
const NO_REFLOG = [["core.logAllRefUpdates", "false"]] as const;
