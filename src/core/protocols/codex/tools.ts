import type { FileDiff, Tool, ToolKind, ToolStatus } from "../../../contract/events.ts";
import { unifiedDiff } from "../../../lib/text/unified-diff.ts";
import { type Json, listOf, numberOf, objectOf, showJson, textOf } from "../read.ts";

type Fields = Omit<Tool, "toolCallId" | "parentToolCallId">;

const statuses: Readonly<Record<string, ToolStatus>> = {
  inProgress: "running",
  completed: "completed",
  failed: "failed",
  declined: "denied",
  interrupted: "cancelled",
};

/** An item that is work on something, as a tool; other items are words. */
export function toolOf(item: Json, isOver: boolean): Fields | undefined {
  const toolStatus = statuses[textOf(item.status) ?? ""] ?? (isOver ? "completed" : "running");
  const fields = describe(item);
  return fields === undefined ? undefined : { ...fields, toolStatus };
}

function describe(item: Json): Omit<Fields, "toolStatus"> | undefined {
  switch (item.type) {
    case "commandExecution":
      return command(item);
    case "fileChange":
      return fileChange(item);
    case "mcpToolCall": {
      const [server, tool] = [textOf(item.server) ?? "", textOf(item.tool) ?? ""];
      const result = contentText(objectOf(item.result).content) ?? textOf(objectOf(item.error).message);
      return { ...call(`mcp__${server}__${tool}`, `${server}: ${tool}`, "other", item.arguments), result };
    }
    case "dynamicToolCall": {
      const tool = textOf(item.tool) ?? "tool";
      return { ...call(tool, tool, "other", item.arguments), result: contentText(item.contentItems) };
    }
    case "collabAgentToolCall": {
      const tool = textOf(item.tool) ?? "agent";
      const prompt = textOf(item.prompt);
      return call(tool, prompt?.split("\n")[0] ?? tool, "subagent", { prompt, model: item.model ?? undefined });
    }
    case "webSearch": {
      const query = textOf(item.query) || textOf(objectOf(item.action).url) || "the web";
      return { ...call("webSearch", `Search ${query}`, "fetch", { query }), result: showJson(item.results) };
    }
    case "imageView": {
      const path = textOf(item.path) ?? "";
      return { ...call("imageView", `Look at ${path}`, "read", { path }), locations: [{ path }] };
    }
    case "imageGeneration":
      return { ...call("imageGeneration", "Make an image", "other", undefined), result: textOf(item.savedPath) };
    default:
      return undefined;
  }
}

const call = (toolName: string, toolTitle: string, kind: ToolKind, toolArgs: unknown) => ({
  toolName,
  toolTitle,
  kind,
  toolArgs: toolArgs ?? undefined,
});

function command(item: Json): Omit<Fields, "toolStatus"> {
  const title = commandTitle(item);
  return {
    ...call("shell", title, kindOfActions(item.commandActions), { command: title, cwd: item.cwd }),
    result: textOf(item.aggregatedOutput),
    exitCode: numberOf(item.exitCode),
  };
}

/** Codex wraps what the model wrote into a login shell; the parsed action has it bare. */
export function commandTitle({ command, commandActions }: Json): string {
  const actions = listOf(commandActions).map(objectOf);
  const bare = actions.length === 1 ? textOf(actions[0]?.command) : undefined;
  return bare ?? textOf(command) ?? "";
}

/** Codex' best guess at what a command does: if it only looks, it reads or searches. */
function kindOfActions(commandActions: unknown): ToolKind {
  const types = new Set(listOf(commandActions).map((action) => objectOf(action).type));
  if (types.size === 0 || types.has("unknown")) return "execute";
  return types.has("search") || types.has("listFiles") ? "search" : "read";
}

function fileChange(item: Json): Omit<Fields, "toolStatus"> {
  const diffs = diffsOf(item.changes);
  const { title, kind } = patchTitle(diffs);
  const paths = diffs.map(({ path }) => path);
  return { ...call("apply_patch", title, kind, { paths }), diffs, locations: paths.map((path) => ({ path })) };
}

export function patchTitle(diffs: readonly FileDiff[]): { title: string; kind: ToolKind } {
  const all = (change: FileDiff["change"]) => diffs.length > 0 && diffs.every((diff) => diff.change === change);
  const names = diffs.map(({ path, oldPath }) => (oldPath === undefined ? path : `${oldPath} to ${path}`)).join(", ");
  if (all("delete")) return { title: `Delete ${names}`, kind: "delete" };
  if (all("rename")) return { title: `Move ${names}`, kind: "move" };
  return { title: `Edit ${names || "files"}`, kind: "edit" };
}

/** A new or deleted file comes as its whole text, a changed one as hunks without a header. */
export function diffsOf(changes: unknown): FileDiff[] {
  return listOf(changes).map((entry) => {
    const { path: wirePath, kind, diff } = objectOf(entry);
    const path = textOf(wirePath) ?? "";
    const name = path.replace(/^\//, "");
    const text = textOf(diff) ?? "";
    const { type, move_path } = objectOf(kind);
    if (type === "add") return { path, change: "create", unified: unifiedDiff(name, undefined, text) };
    if (type === "delete") return { path, change: "delete", unified: unifiedDiff(name, text, undefined) };
    const moved = textOf(move_path);
    if (moved === undefined) return { path, change: "modify", unified: withHeader(name, name, text) };
    const hunks = text.replace(`\n\nMoved to: ${moved}`, "");
    const unified = withHeader(name, moved.replace(/^\//, ""), hunks);
    return { path: moved, oldPath: path, change: "rename", unified };
  });
}

const withHeader = (from: string, to: string, hunks: string) =>
  hunks.startsWith("---") ? hunks : `--- a/${from}\n+++ b/${to}\n${hunks}`;

function contentText(content: unknown): string | undefined {
  const parts = listOf(content).map((item) => textOf(objectOf(item).text) ?? `[${String(objectOf(item).type)}]`);
  return parts.length === 0 ? undefined : parts.join("\n");
}
