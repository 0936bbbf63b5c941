import type { EventOf, FileDiff, Tool, ToolKind, ToolStatus } from "../../../contract/events.ts";
import { unifiedDiff } from "../../../lib/text/unified-diff.ts";
import { type Json, listOf, numberOf, objectOf, oneOf, showJson, textOf } from "../read.ts";

const kinds = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch"] as const;
const statuses: Readonly<Record<string, ToolStatus>> = {
  pending: "pending",
  in_progress: "running",
  completed: "completed",
  failed: "failed",
};

/** A `tool_call` or `tool_call_update` of the agent, as far as it says anything; absent fields stay absent. */
export function toolFields(update: Json): Partial<Omit<Tool, "toolCallId">> {
  const meta = objectOf(update._meta);
  const claude = objectOf(meta.claudeCode);
  const input = objectOf(update.rawInput);
  const diffs = diffsOf(update.content);
  const exit = objectOf(meta.terminal_exit);
  const fields: Partial<Omit<Tool, "toolCallId">> = {
    parentToolCallId: textOf(claude.parentToolUseId),
    toolName: textOf(claude.toolName) ?? textOf(update.name),
    toolTitle: textOf(update.title),
    kind: kindOf(update.kind),
    toolArgs: Object.keys(input).length > 0 ? input : undefined,
    toolStatus: statuses[textOf(update.status) ?? ""],
    result: resultOf(update),
    exitCode: numberOf(exit.exit_code) ?? numberOf(objectOf(update.rawOutput).exitCode),
    diffs: diffs.length > 0 ? diffs : undefined,
    locations: locationsOf(update.locations),
  };
  return dropUndefined(fields);
}

/** The first time a tool is seen, what the agent left out is filled in. */
export function wholeTool(toolCallId: string, fields: Partial<Omit<Tool, "toolCallId">>): Tool {
  const kind = fields.kind ?? "other";
  const toolName = fields.toolName ?? kind;
  return { toolCallId, toolStatus: "pending", ...fields, toolName, toolTitle: fields.toolTitle ?? toolName, kind };
}

export function actionDetails(toolCall: Json): EventOf<"permission_request">["actionDetails"] {
  const input = objectOf(toolCall.rawInput);
  const command = textOf(input.command) ?? commandLine(input.command);
  const paths = locationsOf(toolCall.locations)?.map((location) => location.path);
  const diffs = diffsOf(toolCall.content);
  return dropUndefined({
    command,
    cwd: textOf(input.cwd),
    paths: paths !== undefined && paths.length > 0 ? paths : undefined,
    url: textOf(input.url),
    diffs: diffs.length > 0 ? diffs : undefined,
  });
}

export function kindOf(value: unknown): ToolKind | undefined {
  if (value === undefined || value === null) return undefined;
  return oneOf(kinds, value) ?? "other";
}

function diffsOf(content: unknown): FileDiff[] {
  return listOf(content).flatMap((item) => {
    const diff = objectOf(item);
    const path = textOf(diff.path);
    if (diff.type !== "diff" || path === undefined) return [];
    const before = textOf(diff.oldText);
    const after = textOf(diff.newText);
    const change = before === undefined ? "create" : after === undefined ? "delete" : "modify";
    return [{ path, change, unified: unifiedDiff(path.replace(/^\//, ""), before, after) }];
  });
}

/** What the tool returned: its content's text, else its raw output. */
function resultOf(update: Json): string | undefined {
  if (update.status !== "completed" && update.status !== "failed") return undefined;
  const text = listOf(update.content)
    .map((item) => textOf(objectOf(objectOf(item).content).text))
    .filter((part) => part !== undefined)
    .join("\n");
  if (text !== "") return text;
  const raw = objectOf(update.rawOutput);
  return textOf(raw.output) ?? textOf(raw.error) ?? showJson(update.rawOutput);
}

function locationsOf(value: unknown): { path: string; line?: number }[] | undefined {
  const locations = listOf(value).flatMap((item) => {
    const location = objectOf(item);
    const path = textOf(location.path);
    return path === undefined ? [] : [dropUndefined({ path, line: numberOf(location.line) })];
  });
  return locations.length > 0 ? locations : undefined;
}

function commandLine(value: unknown): string | undefined {
  const words = listOf(value);
  return words.length > 0 && words.every((word) => typeof word === "string") ? words.join(" ") : undefined;
}

/** A copy, because an object that a field was deleted from is slow for whoever reads it next. */
function dropUndefined<T extends object>(fields: T): T {
  const kept: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key];
  return kept as T;
}
