import type { Tool, ToolStatus } from "../../../../contract/events.ts";
import { beginningOf } from "../../../../contract/words/content.ts";
import { plural } from "../../../../contract/words/figures.ts";
import { columnsOf, fit } from "../../../../lib/command/columns.ts";
import type { Page, Paint } from "../../../../lib/command/paint.ts";
import { oneLine, printable } from "../../../../lib/text/printable.ts";
import { nameOf, renderChanges, renderCount } from "./diff-lines.ts";

/** What is kept of a tool while it is on the screen. */
export type ShownTool = Pick<
  Tool,
  "toolCallId" | "parentToolCallId" | "toolName" | "toolTitle" | "kind" | "toolStatus" | "result" | "exitCode" | "diffs"
>;

const CHANGED_LINES = 4;
const MIN_WIDTH = 20;

export const isEnded = (status: ToolStatus): boolean => status !== "pending" && status !== "running";

/** `✓ npm test  12 lines`: one line, and the first changes of an edit under it. */
export function renderTool(tool: ShownTool, page: Page): string[] {
  const { paint } = page;
  const width = Math.max(page.width, MIN_WIDTH);
  const indent = tool.parentToolCallId === undefined ? "" : "  ";
  const result = isEnded(tool.toolStatus) ? shortResult(tool, page) : "";
  const room = width - indent.length - 2;
  const forTitle = Math.max(room - (result === "" ? 0 : Math.min(columnsOf(result) + 2, room / 2)), 8);
  const title = fit(titleOf(tool, paint), forTitle, paint.marks.more);
  const left = room - columnsOf(title) - 2;
  const tail =
    result === "" || left < 2
      ? ""
      : `  ${columnsOf(result) <= left ? result : paint.dim(fit(bare(result), left, paint.marks.more))}`;
  const head = `${indent}${markOf(tool.toolStatus, paint)} ${title}${tail}`;
  return [head, ...changesOf(tool, { ...page, width })];
}

export function markOf(status: ToolStatus, paint: Paint): string {
  switch (status) {
    case "pending":
    case "running":
      return paint.cyan(paint.marks.running);
    case "completed":
      return paint.green(paint.marks.done);
    case "failed":
      return paint.red(paint.marks.failed);
    case "denied":
    case "cancelled":
      return paint.yellow(paint.marks.refused);
  }
}

function titleOf({ toolTitle, toolName, kind, diffs }: ShownTool, paint: Paint): string {
  const title = oneLine(toolTitle) || oneLine(toolName) || kind;
  const [only] = diffs ?? [];
  // "Edit" alone says nothing; the file does.
  return only !== undefined && title === oneLine(toolName) ? `${title} ${nameOf(only, paint)}` : title;
}

function shortResult(tool: ShownTool, page: Page): string {
  const { paint } = page;
  if (tool.toolStatus === "denied" || tool.toolStatus === "cancelled") return paint.dim(tool.toolStatus);
  if (tool.diffs !== undefined && tool.diffs.length > 0 && tool.toolStatus === "completed")
    return renderCount(tool.diffs, page);
  const exit = tool.exitCode === undefined || tool.exitCode === 0 ? "" : `exit ${tool.exitCode}`;
  const said = tool.result === undefined ? "" : summaryOf(tool);
  const text = [exit, said].filter((part) => part !== "").join(": ");
  return tool.toolStatus === "failed" ? paint.red(text) : paint.dim(text);
}

/** One line is shown as it is; of more, how many there are. Of a failure the first words matter. */
function summaryOf({ result = "", toolStatus }: ShownTool): string {
  const lines = printable(beginningOf(result)).trim().split("\n");
  const first = lines[0]?.trim() ?? "";
  if (lines.length <= 1 || toolStatus === "failed") return first;
  return typeof result === "string" ? plural(lines.length, "line") : `more than ${plural(lines.length, "line")}`;
}

function changesOf(tool: ShownTool, page: Page): string[] {
  if (tool.toolStatus !== "completed" || tool.diffs === undefined) return [];
  return renderChanges(tool.diffs, CHANGED_LINES, page);
}

const bare = (painted: string) => printable(painted);
