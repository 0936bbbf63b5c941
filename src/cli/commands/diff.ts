import { AppError } from "../../contract/errors.ts";
import { type Checkpoint, requireCheckpoint } from "../../workspaces/checkpoint.ts";
import { diffBetween, workspaceDiff, writePatch } from "../../workspaces/diff.ts";
import { diffStat, type FileChange } from "../../workspaces/diff-parse.ts";
import { presentState } from "../../workspaces/workspace.ts";
import { type Context, command, requirePositionals } from "../command.ts";
import { openRun } from "../run-access.ts";
import { changesOf, type RunChanges, renderFiles } from "../run-changes.ts";
import { type Paint, paintFor } from "../view/paint.ts";
import { printableJson, revealed } from "../view/printable.ts";

const spec = command({
  name: "diff",
  summary: "Show what a run changed.",
  usage: "cox diff RUN [options]",
  options: {
    stat: { help: "only the files and how many lines" },
    turn: { value: "N", help: "only what turn N changed" },
    json: { help: "print it as one JSON object" },
  },
  examples: ["cox diff latest --stat", "cox diff latest --turn 2", "cox diff latest | git apply -R"],
  async run({ values, positionals }, context) {
    requirePositionals(spec, positionals, 1);
    const turn = values.turn === undefined ? undefined : turnOf(values.turn);
    const { info, ...named } = await openRun(context, positionals[0] ?? "");
    const changes = await changesOf({ info, ...named });
    const patches = values.stat !== true;
    const paint = paintFor(context);
    const range = await rangeOf(changes, turn, info.status === "running");
    if (range === undefined) {
      context.stderr.write(`no checkpoints of this run; this is all that is uncommitted in ${info.cwd}\n`);
    } else if (patches && !values.json && !context.stdout.isTTY) {
      await writePatch(changes.workspace.shadow.git, range.from, range.to, (chunk) => context.stdout.write(chunk));
      return 0;
    }
    const wishes = { patches };
    const files =
      range === undefined
        ? await workspaceDiff(info.cwd, wishes)
        : await diffBetween(changes.workspace, range.from, range.to, wishes);
    if (values.json) {
      context.stdout.write(`${printableJson({ run_id: info.run_id, turn, summary: diffStat(files), files })}\n`);
      return 0;
    }
    if (files.length === 0) context.stderr.write("nothing changed\n");
    else context.stdout.write(patches ? renderPatches(files, paint) : renderFiles(files, paint));
    if (files.length > 0 && (values.stat || context.stdout.isTTY)) say(context, files);
    return 0;
  },
});
export default spec;

/** What a run did as a whole ends with its last turn; of a live one it is what is there now. */
async function rangeOf(
  { workspace, turns }: RunChanges,
  turn: number | undefined,
  live: boolean,
): Promise<{ from: string; to: string } | undefined> {
  if (turn !== undefined) {
    const to = requireCheckpoint(turns, "turn", turn);
    const before = turns.findLast(({ n }) => n < turn);
    if (before === undefined) throw new AppError("usage.invalid", "turn 0 is where the run began: it changed nothing");
    return { from: before.commit, to: to.commit };
  }
  const [first, last]: (Checkpoint | undefined)[] = [turns[0], turns.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return { from: first.commit, to: live ? (await presentState(workspace)).tree : last.commit };
}

function renderPatches(files: readonly FileChange[], paint: Paint): string {
  const lines = files.flatMap(({ unified = "", truncated }) => [
    ...unified
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => colourOf(line, paint)(revealed(line))),
    ...(truncated ? [paint.dim("… and more; --stat shows how much")] : []),
  ]);
  return `${lines.join("\n")}\n`;
}

function colourOf(line: string, paint: Paint): (text: string) => string {
  if (/^(diff --git|---|\+\+\+|index|new file|deleted file|similarity|rename) /.test(line)) return paint.bold;
  if (line.startsWith("@@")) return paint.cyan;
  if (line.startsWith("+")) return paint.green;
  return line.startsWith("-") ? paint.red : (text) => text;
}

function say({ stderr }: Context, files: readonly FileChange[]): void {
  stderr.write(`${diffStat(files)}\n`);
}

export function turnOf(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new AppError("usage.invalid", `--turn ${JSON.stringify(text)}: not the number of a turn; the first is 1`);
}
