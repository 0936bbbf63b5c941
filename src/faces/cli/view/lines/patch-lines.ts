import type { FileChange } from "../../../../core/workspaces/diff-parse.ts";
import { wrap } from "../../../../lib/command/columns.ts";
import type { Page, Paint } from "../../../../lib/command/paint.ts";
import { revealed } from "../../../../lib/text/printable.ts";

/** All of the patches, wrapped and not cut. */
export function renderPatches(files: readonly FileChange[], { width, paint }: Page): string[] {
  return files.flatMap(({ unified = "", truncated }) => [
    ...patchLines(unified).flatMap((line) =>
      wrap(revealed(line).replaceAll("\t", "  "), width).map(colourOf(line, paint)),
    ),
    ...(truncated ? wrap("… and more than can be shown here; see `cox diff --stat`", width).map(paint.red) : []),
  ]);
}

export const patchLines = (unified: string): string[] => unified.replace(/\n$/, "").split("\n");

export function colourOf(line: string, paint: Paint): (text: string) => string {
  if (/^(diff --git|---|\+\+\+|index|new file|deleted file|similarity|rename) /.test(line)) return paint.bold;
  if (line.startsWith("@@")) return paint.cyan;
  if (line.startsWith("+")) return paint.green;
  return line.startsWith("-") ? paint.red : (text) => text;
}
