import type { FileDiff, ToolKind } from "../../../contract/events.ts";
import { unifiedDiff } from "../../../lib/text/unified-diff.ts";
import { type Json, textOf } from "../read.ts";

export interface ToolShape {
  kind: ToolKind;
  /** The argument that says most to people; without it the tool's name is the title. */
  title?: string;
}

/** How a tool call looks to people: by the table of the CLI's tools, and by what its arguments are usually called. */
export function describeTool(tools: Readonly<Record<string, ToolShape>>, toolName: string, args: Json) {
  const shape = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
  const path = pathOf(args);
  const said = shape?.title === undefined ? undefined : textOf(args[shape.title]);
  const kind = shape?.kind ?? "other";
  return {
    toolName,
    kind,
    toolTitle: said ?? path ?? toolName,
    locations: path === undefined ? undefined : [{ path }],
  };
}

export const pathOf = (args: Json): string | undefined =>
  textOf(args.file_path) ?? textOf(args.filePath) ?? textOf(args.absolute_path) ?? textOf(args.path);

/** The change an edit makes, as far as its arguments tell: the lines replaced, not where they stand in the file. */
export function diffOf(path: string, before: string | undefined, after: string): FileDiff {
  const change = before === undefined ? "create" : "modify";
  return { path, change, unified: unifiedDiff(path.replace(/^\//, ""), before, after) };
}
