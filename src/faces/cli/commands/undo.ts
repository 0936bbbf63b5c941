import { AppError } from "../../../contract/errors.ts";
import { plural } from "../../../contract/words/figures.ts";
import { openRun } from "../../../core/runs/run-access.ts";
import { previewUndo, type Undone, type UndoTarget, undo } from "../../../core/workspaces/checkpoints/undo.ts";
import { diffStat } from "../../../core/workspaces/diff-parse.ts";
import { changesOf } from "../../../core/workspaces/run-changes.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { confirm } from "../../../lib/command/confirm.ts";
import { paintFor } from "../../../lib/command/paint.ts";
import { oneLine, printableJson } from "../../../lib/text/printable.ts";
import { renderFiles, requireNobodyAtWork } from "../run-changes.ts";
import { turnOf } from "./diff.ts";

export default command({
  name: "undo",
  summary: "Put the files back to where they were before a run, or after one of its turns.",
  usage: "cox undo RUN [--turn N | --redo] [--yes]",
  words: [1, 1],
  options: {
    turn: { value: "N", help: "to the end of turn N; 0, the default, is before the run" },
    redo: { help: "take the last undo back" },
    yes: { short: "y", help: "don't ask" },
    json: { help: "print what was done as one JSON object" },
  },
  examples: ["cox undo latest", "cox undo latest --turn 2 --yes", "cox undo latest --redo"],
  async run({ values, positionals }, context) {
    if (values.redo && values.turn !== undefined) {
      throw new AppError("usage.invalid", "cox undo: --turn or --redo, not both");
    }
    const named = await openRun(context, positionals[0] ?? "");
    const runId = named.info.run_id;
    const { workspace, turns } = await changesOf(named.home.root, named.info, "own");
    if (turns.length === 0) {
      throw new AppError("workspace.invalid", `run ${runId}: has no checkpoints, so it can't be undone`);
    }
    requireNobodyAtWork(named.home, workspace.repository.root);
    const target: UndoTarget = values.redo ? "redo" : { turn: turnOf(values.turn ?? "0") };
    const files = await previewUndo(workspace, runId, target);
    if (files.length === 0) {
      context.stderr.write("nothing to do: the files are as they were\n");
      const nothing = { run_id: runId, restored: [], deleted: [], left: [] };
      if (values.json) context.stdout.write(`${printableJson(nothing)}\n`);
      return 0;
    }
    const paint = paintFor(context);
    if (!values.json) context.stdout.write(renderFiles(files, paint));
    if (!values.yes) {
      const question = `Change these files in ${workspace.repository.root} (${diffStat(files)})?`;
      if (!(await confirm(question, context, "cox undo: there is no terminal to ask on; give --yes"))) return 1;
    }
    const undone = await undo(workspace, runId, target);
    if (values.json) context.stdout.write(`${printableJson({ run_id: runId, ...undone })}\n`);
    else say(context, runId, undone);
    return 0;
  },
});

function say({ stderr }: Context, runId: string, { restored, deleted, left, headWas }: Undone): void {
  stderr.write(
    `restored ${plural(restored.length, "file")}, deleted ${deleted.length}; back: cox undo ${runId} --redo\n`,
  );
  for (const { path, why } of left) stderr.write(`left as it is: ${oneLine(path)}: ${why}\n`);
  if (headWas !== undefined) {
    stderr.write(
      `commits stay: HEAD was at ${headWas.slice(0, 12)} then; \`git reset ${headWas.slice(0, 12)}\` goes back there\n`,
    );
  }
}
