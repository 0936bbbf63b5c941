import type { FileDiff } from "../../../../contract/events.ts";
import { beginningOf } from "../../../../contract/words/content.ts";
import { countLines, type DiffCount, isAllHunks, readDiff } from "../../../../contract/words/diff.ts";
import { plural } from "../../../../contract/words/figures.ts";
import { fit, wrap } from "../../../../lib/command/columns.ts";
import type { Page, Paint } from "../../../../lib/command/paint.ts";
import { revealed, revealedLine } from "../../../../lib/text/printable.ts";

export function countChanges(diffs: readonly FileDiff[]): DiffCount {
  const counts = diffs.map(({ unified }) => countLines(beginningOf(unified)));
  const sum = (key: keyof DiffCount) => counts.reduce((total, count) => total + count[key], 0);
  return { added: sum("added"), removed: sum("removed") };
}

/** `+3 −1`; a diff that is not wholly here says so. */
export function renderCount(diffs: readonly FileDiff[], { paint }: Page): string {
  const { added, removed } = countChanges(diffs);
  const more = diffs.some(({ unified }) => typeof unified !== "string") ? " and more" : "";
  return `${paint.green(`+${added}`)} ${paint.red(`${paint.marks.minus}${removed}`)}${more}`;
}

/** What somebody is to approve, wrapped and not cut: the changed lines, or what it is when it is no diff we know. */
export function renderApproved(diff: FileDiff, unified: string, isWhole: boolean, { width, paint }: Page): string[] {
  const lines = isWhole || !isAllHunks(unified) ? unified.split("\n") : changedLines({ ...diff, unified });
  return lines.flatMap((line) => {
    const colour = line.startsWith("+") ? paint.green : line.startsWith("-") ? paint.red : paint.dim;
    return wrap(revealed(line).replaceAll("\t", "  "), width - 4).map((row) => `    ${colour(row)}`);
  });
}

/** The first changed lines, indented. */
export function renderChanges(diffs: readonly FileDiff[], max: number, { width, paint }: Page): string[] {
  const named = diffs.length > 1;
  const lines = diffs.flatMap((diff) => [...(named ? [`  ${nameOf(diff, paint)}`] : []), ...changedLines(diff)]);
  const shown = lines.slice(0, max).map((line) => {
    const text = fit(revealed(line).replaceAll("\t", "  "), width - 4, paint.marks.more);
    const colour = line.startsWith("+") ? paint.green : line.startsWith("-") ? paint.red : paint.dim;
    return `    ${colour(text)}`;
  });
  if (lines.length > max)
    shown.push(`    ${paint.dim(`${paint.marks.more} ${plural(lines.length - max, "more line")}`)}`);
  return shown;
}

export function nameOf({ path, oldPath, change }: FileDiff, { marks }: Paint): string {
  const name = revealedLine(path);
  if (change === "rename" && oldPath !== undefined) return `${revealedLine(oldPath)} ${marks.arrow} ${name}`;
  return change === "create" ? `${name} (new)` : change === "delete" ? `${name} (deleted)` : name;
}

/** Lines of the diff that were added or removed, with the sign that says which. */
function changedLines({ unified }: FileDiff): string[] {
  const lines = readDiff(beginningOf(unified)).flatMap((hunk) => hunk.lines);
  return lines.flatMap(({ kind, text }) => (kind === "same" ? [] : `${kind === "added" ? "+" : "-"}${text}`));
}
