import { AppError } from "../../../contract/errors.ts";
import { runName } from "../../../contract/ids.ts";
import { plural } from "../../../contract/words/figures.ts";
import { openRun } from "../../../core/runs/run-access.ts";
import { undoNotes } from "../../../core/runs/undo-notes.ts";
import { previewUndo, type Undone, undo } from "../../../core/workspaces/checkpoints/undo.ts";
import type { UndoTarget } from "../../../core/workspaces/checkpoints/undo-step.ts";
import { diffStat } from "../../../core/workspaces/diff-parse.ts";
import { changesOf } from "../../../core/workspaces/run-changes.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { confirm } from "../../../lib/command/confirm.ts";
import { paintFor } from "../../../lib/command/paint.ts";
import { oneLine, printableJson } from "../../../lib/text/printable.ts";
import { shellWords } from "../../../lib/text/shell-words.ts";
import { renderFiles, requireNobodyAtWork } from "../run-changes.ts";
import { turnOf } from "./diff.ts";

export default command({
  name: "undo",
  summary: "Reverse what a run did to the files, and nothing else.",
  usage: "cox undo RUN [--turn N | --redo] [--merge] [--yes]",
  words: [1, 1],
  options: {
    turn: { value: "N", help: "only what it did after turn N; 0, the default, is all of it" },
    redo: { help: "take the last undo back" },
    merge: { help: "keep what was edited since in the same files; otherwise these are refused" },
    yes: { short: "y", help: "don't ask" },
    json: { help: "print what was done as one JSON object" },
  },
  examples: ["cox undo latest", "cox undo latest --turn 2 --yes", "cox undo latest --redo"],
  async run({ values, positionals }, context) {
    if (values.redo && values.turn !== undefined) {
      throw new AppError("usage.invalid", "cox undo: --turn or --redo, not both");
    }
    const { home, info } = await openRun(context, positionals[0] ?? "");
    const { workspace, turns } = await changesOf(home.root, info, "own");
    const { root } = workspace.repository;
    if (turns.length === 0) {
      throw new AppError("workspace.invalid", `run ${runName(info)}: has no checkpoints, so it can't be undone`);
    }
    requireNobodyAtWork(home, root);
    const to: UndoTarget = values.redo ? "redo" : { turn: turnOf(values.turn ?? "0") };
    const wishes = { to, merge: values.merge === true };
    const { files, edited } = await previewUndo(workspace, info.run_id, wishes);
    const asJson = (undone: Undone) =>
      context.stdout.write(`${printableJson({ run_id: info.run_id, folder: root, ...undone })}\n`);
    if (files.length === 0 && edited.length === 0) {
      context.stderr.write(`nothing to do in ${root}: of this run nothing is left there to change\n`);
      if (values.json) asJson({ restored: [], deleted: [], left: [] });
      return 0;
    }
    if (edited.length === 0) {
      if (!values.json) context.stdout.write(renderFiles(files, paintFor(context)));
      const span = { root, turns: turns.length - 1 - (values.redo ? 0 : turnOf(values.turn ?? "0")) };
      for (const note of values.redo ? [] : undoNotes(home, info, span))
        context.stderr.write(`note: ${oneLine(note)}\n`);
      if (!values.yes) {
        const question = `Change these files in ${root} (${diffStat(files)})?`;
        if (!(await confirm(question, context, "cox undo: there is no terminal to ask on; give --yes"))) return 1;
      }
    }
    const undone = await undo(workspace, info.run_id, wishes);
    if (values.json) asJson(undone);
    else say(context, { name: runName(info), root, redone: values.redo === true }, undone);
    return 0;
  },
});

function say(
  { stderr }: Context,
  { name, root, redone }: { name: string; root: string; redone: boolean },
  { restored, deleted, left, headWas }: Undone,
): void {
  const back = redone ? "" : `; back: cox undo ${name} --redo`;
  stderr.write(`restored ${plural(restored.length, "file")}, deleted ${deleted.length} in ${root}${back}\n`);
  for (const { path, why } of left) stderr.write(`left as it is: ${oneLine(path)}: ${why}\n`);
  if (headWas === undefined) return;
  const commit = headWas.commit.slice(0, 12);
  const reset = headWas.isLast ? `; \`${shellWords(["git", "-C", root, "reset", commit])}\` goes back there` : "";
  stderr.write(`commits stay: HEAD of ${root} was at ${commit} then${reset}\n`);
}
