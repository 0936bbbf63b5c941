import type { AgentEvent, Tool, ToolStatus } from "../../../../contract/events.ts";
import { type Json, listOf, numberOf, objectOf, showJson, textOf } from "../../read.ts";
import { type ItemType, itemTypes } from "./messages.ts";

/** What an item becomes; undefined for a type nobody told us of. `seen`: its call was announced before. */
export function itemEvents(
  turn: string | undefined,
  item: Json,
  seen: boolean,
  isDone: boolean,
): AgentEvent[] | undefined {
  const type = textOf(item.type) ?? "";
  if (!isItemType(type)) return undefined;
  const id = `${turn ?? "t0"}.${textOf(item.id) ?? "item"}`;
  const text = textOf(item.text) ?? "";
  switch (type) {
    case "agent_message":
      return isDone && text !== "" ? [{ type: "message_chunk", turn, messageId: id, text }] : [];
    case "reasoning":
      return isDone && text !== "" ? [{ type: "reasoning", turn, messageId: id, text }] : [];
    case "error":
      return [
        { type: "notice", turn, code: "agent_warning", text: textOf(item.message) ?? "codex warns without a message" },
      ];
    case "plan":
      return isDone ? [{ type: "plan", turn, markdown: text, entries: [] }] : [];
    case "todo_list":
      return [{ type: "plan", turn, entries: listOf(item.items).map(todoOf) }];
    default: {
      const tool = { toolCallId: id, toolName: type, ...tools[type](item), toolStatus: statusOf(item, isDone) };
      if (!seen) return [{ type: "tool_call", turn, ...tool }];
      const { toolStatus, result, exitCode } = tool;
      return [{ type: "tool_update", turn, toolCallId: id, toolStatus, result, exitCode }];
    }
  }
}

const isItemType = (type: string): type is ItemType => Object.hasOwn(itemTypes, type);

function todoOf(value: unknown) {
  const todo = objectOf(value);
  return { text: textOf(todo.text) ?? "", status: todo.completed === true ? "completed" : "pending" } as const;
}

function statusOf(item: Json, isDone: boolean): ToolStatus {
  if (item.status === "declined") return "denied";
  if (item.status === "failed") return "failed";
  return isDone ? "completed" : "running";
}

type Described = Omit<Tool, "toolCallId" | "toolStatus" | "toolName"> & { toolName?: string };
type ToolItem = "command_execution" | "file_change" | "mcp_tool_call" | "collab_tool_call" | "web_search";

const tools: Readonly<Record<ToolItem, (item: Json) => Described>> = {
  command_execution(item) {
    const command = textOf(item.command) ?? "";
    const result = textOf(item.aggregated_output);
    const exitCode = numberOf(item.exit_code);
    return {
      kind: "execute",
      toolTitle: bareCommand(command),
      toolArgs: { command },
      result: result || undefined,
      exitCode,
    };
  },
  file_change(item) {
    const changes = listOf(item.changes).map(objectOf);
    const paths = changes.map((change) => textOf(change.path) ?? "").filter((path) => path !== "");
    const kind = changes.length > 0 && changes.every((change) => change.kind === "delete") ? "delete" : "edit";
    const locations = paths.map((path) => ({ path }));
    return { kind, toolTitle: paths.join(", ") || "edit files", toolArgs: { changes }, locations };
  },
  mcp_tool_call(item) {
    const [server, tool] = [textOf(item.server) ?? "mcp", textOf(item.tool) ?? "tool"];
    const said = listOf(objectOf(item.result).content).map((part) => textOf(objectOf(part).text));
    const text = said.filter((part) => part !== undefined).join("\n");
    const result = textOf(objectOf(item.error).message) ?? (text || showJson(item.result));
    return {
      kind: "other",
      toolName: `${server}.${tool}`,
      toolTitle: `${server}: ${tool}`,
      toolArgs: item.arguments,
      result,
    };
  },
  collab_tool_call(item) {
    const tool = textOf(item.tool) ?? "agent";
    return { kind: "subagent", toolName: tool, toolTitle: textOf(item.prompt) ?? tool };
  },
  web_search: (item) => ({ kind: "search", toolTitle: textOf(item.query) ?? "web search" }),
};

/** `/bin/bash -lc 'ls -l'` is how codex runs `ls -l`; people want to read the latter. */
export function bareCommand(command: string): string {
  const quoted = /^\S*\b(?:ba|z|)sh -l?c (.+)$/s.exec(command)?.[1];
  if (quoted === undefined) return command;
  if (/^'[^']*'$/.test(quoted)) return quoted.slice(1, -1);
  if (/^"(?:[^"\\]|\\.)*"$/s.test(quoted)) return quoted.slice(1, -1).replace(/\\(["$`\\])/g, "$1");
  return /\s/.test(quoted) ? command : quoted;
}
