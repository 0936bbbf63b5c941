import { runName } from "../../../../contract/ids.ts";
import { endingOf } from "../../../../contract/runs/ending.ts";
import type { RunInfo } from "../../../../contract/runs/run.ts";
import { formatCost, formatCount, formatDuration, plural } from "../../../../contract/words/figures.ts";
import { wrap } from "../../../../lib/command/columns.ts";
import type { Page } from "../../../../lib/command/paint.ts";
import { oneLine } from "../../../../lib/text/printable.ts";

/** How it ended, what it took, and where the rest is. */
export function renderClosing(info: RunInfo, { width, paint }: Page): string[] {
  const ok = info.status === "completed";
  const tokens = info.input_tokens + info.output_tokens;
  const figures = [
    plural(info.turns, "turn"),
    tokens === 0 ? "" : `${formatCount(tokens)} tokens`,
    formatCost(info.cost_usd),
    lasted(info),
  ].filter((part) => part !== "");
  const mark = ok ? paint.green(paint.marks.done) : paint.red(paint.marks.failed);
  const dot = ` ${paint.marks.dot} `;
  const rows = wrap([`${runName(info)} ${endingOf(info)}`, ...figures].join(dot), width - 2);
  const lines = rows.map((row, index) => `${index === 0 ? mark : " "} ${row}`);
  if (!ok && info.error_summary !== "") lines.push(...wrap(`  ${oneLine(info.error_summary)}`, width).map(paint.red));
  lines.push(paint.dim("  output:"), oneLine(info.output_path)); // on a line of its own, whole: it is copied from there
  return lines;
}

function lasted({ start_time, end_time }: RunInfo): string {
  const ms = Date.parse(end_time) - Date.parse(start_time);
  return Number.isNaN(ms) ? "" : formatDuration(ms);
}
