import type { Body, FileDiff } from "../../../../contract/events.ts";
import { isAllHunks } from "../../../../contract/unified-diff.ts";
import { fit, wrap } from "../../../../lib/command/columns.ts";
import { plural } from "../../../../lib/command/figures.ts";
import type { Page } from "../../../../lib/command/paint.ts";
import { revealed, revealedLine } from "../../../../lib/text/printable.ts";

export interface DiffCount {
  added: number;
  removed: number;
}

/** A large diff lies elsewhere; what is here is its beginning. */
export const textOf = (body: Body): string => (typeof body === "string" ? body : body.head);

export function countChanges(diffs: readonly FileDiff[]): DiffCount {
  const lines = diffs.flatMap(changedLines);
  const added = lines.filter((line) => line.startsWith("+")).length;
  return { added, removed: lines.length - added };
}

/** `+3 −1`; a diff that is not wholly here says so. */
export function renderCount(diffs: readonly FileDiff[], { paint }: Page): string {
  const { added, removed } = countChanges(diffs);
  const more = diffs.some(({ unified }) => typeof unified !== "string") ? " and more" : "";
  return `${paint.green(`+${added}`)} ${paint.red(`−${removed}`)}${more}`;
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
  const lines = diffs.flatMap((diff) => [...(named ? [`  ${nameOf(diff)}`] : []), ...changedLines(diff)]);
  const shown = lines.slice(0, max).map((line) => {
    const text = fit(revealed(line).replaceAll("\t", "  "), width - 4);
    const colour = line.startsWith("+") ? paint.green : line.startsWith("-") ? paint.red : paint.dim;
    return `    ${colour(text)}`;
  });
  if (lines.length > max) shown.push(`    ${paint.dim(`… ${plural(lines.length - max, "more line")}`)}`);
  return shown;
}

export function nameOf({ path, oldPath, change }: FileDiff): string {
  const name = revealedLine(path);
  if (change === "rename" && oldPath !== undefined) return `${revealedLine(oldPath)} → ${name}`;
  return change === "create" ? `${name} (new)` : change === "delete" ? `${name} (deleted)` : name;
}

/** Lines of the diff that were added or removed. `---` and `+++` are headers only before the first hunk. */
function changedLines(diff: FileDiff): string[] {
  const lines = textOf(diff.unified).split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@"));
  return lines.slice(first + 1).filter((line) => line.startsWith("+") || line.startsWith("-"));
}
