import { AppError } from "../../../contract/errors.ts";
import { type Checkpoint, requireCheckpoint, type UndoStep } from "./checkpoint.ts";

/** A turn's number, or the state that the latest undo replaced. */
export type UndoTarget = { turn: number } | "redo";

/** What lies between these two is to be reversed, and nothing else. */
export interface Reversal {
  from: Checkpoint;
  to: Checkpoint;
  step: UndoStep;
}

/** Where the run's work stands: at its last turn, or where the last undo put it; `redo` while that is the last thing that was done. */
export interface Standing {
  turn: number;
  lastTurn: number;
  redo?: Reversal;
}

export function standingOf(list: readonly Checkpoint[]): Standing {
  const lastTurn = list.findLast(({ kind }) => kind === "turn")?.n ?? 0;
  const after = list.findLast(({ kind }) => kind === "after");
  const saved = list.find(({ kind, n }) => kind === "undo" && n === after?.n);
  const step = after?.step;
  if (after === undefined || step === undefined || step.lastTurn !== lastTurn) return { turn: lastTurn, lastTurn };
  const { turn, was } = step;
  if (step.did === "redo" || saved === undefined) return { turn, lastTurn };
  return { turn, lastTurn, redo: { from: after, to: saved, step: { did: "redo", turn: was, was: turn, lastTurn } } };
}

export function reversalTo(list: readonly Checkpoint[], target: UndoTarget): Reversal {
  const { turn: was, lastTurn, redo } = standingOf(list);
  if (target !== "redo") {
    const to = requireCheckpoint(list, "turn", target.turn);
    const from = requireCheckpoint(list, "turn", was);
    return { from, to, step: { did: "undo", turn: target.turn, was, lastTurn } };
  }
  if (redo !== undefined) return redo;
  const wasUndone = list.some(({ kind }) => kind === "after");
  throw new AppError(
    "usage.invalid",
    wasUndone
      ? "redo: there is nothing to take back: an undo is taken back once, and not after another turn"
      : "redo: nothing of this run was undone",
  );
}

export const lastUndo = (list: readonly Checkpoint[]): number =>
  list.reduce((last, { kind, n }) => (kind === "turn" ? last : Math.max(last, n)), 0);
