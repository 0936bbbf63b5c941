import { existsSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import { openRun } from "../../../core/runs/run-access.ts";
import { diffBetween, workspaceDiff, writePatch } from "../../../core/workspaces/diff.ts";
import { diffStat, type FileChange } from "../../../core/workspaces/diff-parse.ts";
import { type ChangeRange, changesOf, type RunChanges, rangeOf } from "../../../core/workspaces/run-changes.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { paintFor } from "../../../lib/command/paint.ts";
import { oneLine, printableJson, revealed } from "../../../lib/text/printable.ts";
import { renderFiles } from "../run-changes.ts";
import { colourOf, patchLines } from "../view/lines/patch-lines.ts";

export default command({
  name: "diff",
  summary: "Show what a run changed.",
  usage: "cox diff RUN [options]",
  words: [1, 1],
  options: {
    stat: { help: "only the files and how many lines" },
    turn: { value: "N", help: "only what turn N changed" },
    json: { help: "print it as one JSON object" },
  },
  examples: ["cox diff latest --stat", "cox diff latest --turn 2", "cox diff latest | git apply -R"],
  async run({ values, positionals }, context) {
    const turn = values.turn === undefined ? undefined : turnOf(values.turn);
    const named = await openRun(context, positionals[0] ?? "");
    const { info } = named;
    const changes = await changesOf(named.home.root, info, "any");
    const range = await rangeOf(changes, turn, info.status === "running" && existsSync(info.cwd));
    if (range !== undefined && !values.stat && !values.json && !context.stdout.isTTY) {
      // Byte for byte and of any length: somebody may apply it.
      await writePatch(changes.workspace.shadow.git, range.from, range.to, (chunk) => context.stdout.write(chunk));
      return 0;
    }
    const files = await filesOf(changes, range, info.cwd, values.stat !== true);
    if (range === undefined) {
      context.stderr.write(`no checkpoints of this run; this is all that is uncommitted in ${oneLine(info.cwd)}\n`);
    }
    if (values.json) {
      context.stdout.write(`${printableJson({ run_id: info.run_id, turn, summary: diffStat(files), files })}\n`);
      return 0;
    }
    context.stdout.write(values.stat ? renderFiles(files, paintFor(context)) : renderPatches(files, context));
    if (values.stat || context.stdout.isTTY) context.stderr.write(`${diffStat(files)}\n`);
    return 0;
  },
});

/** Without checkpoints there is still what nobody has committed. */
function filesOf({ workspace }: RunChanges, range: ChangeRange | undefined, cwd: string, patches: boolean) {
  if (range === undefined) return workspaceDiff(cwd, { patches });
  return diffBetween(workspace, range.from, range.to, { patches });
}

function renderPatches(files: readonly FileChange[], context: Context): string {
  if (!context.stdout.isTTY) return files.map(({ unified = "" }) => unified).join("");
  const paint = paintFor(context);
  const lines = files.flatMap(({ unified = "", truncated }) => [
    ...patchLines(unified).map((line) => colourOf(line, paint)(revealed(line))),
    ...(truncated ? [paint.dim(`${paint.marks.more} and more; --stat shows how much`)] : []),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

export function turnOf(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new AppError("usage.invalid", `--turn ${JSON.stringify(text)}: not the number of a turn; the first is 1`);
}
