import type { AgentEvent, FileDiff, ToolStatus } from "../../../../contract/events.ts";
import { type Json, listOf, numberOf, objectOf, oneOf, textOf } from "../../read.ts";
import { describeTool, diffOf, pathOf, type ToolShape } from "../tools.ts";

const opencodeTools: Readonly<Record<string, ToolShape>> = {
  bash: { kind: "execute", title: "command" },
  read: { kind: "read" },
  list: { kind: "read" },
  edit: { kind: "edit" },
  multiedit: { kind: "edit" },
  write: { kind: "edit" },
  patch: { kind: "edit" },
  apply_patch: { kind: "edit" },
  grep: { kind: "search", title: "pattern" },
  glob: { kind: "search", title: "pattern" },
  lsp: { kind: "search" },
  codesearch: { kind: "search", title: "query" },
  websearch: { kind: "search", title: "query" },
  webfetch: { kind: "fetch", title: "url" },
  todowrite: { kind: "todo" },
  todoread: { kind: "todo" },
  task: { kind: "subagent", title: "description" },
  skill: { kind: "read", title: "name" },
};

const statuses = ["pending", "running", "completed"] as const;

/** Everything a tool part says; it is repeated whole each time the part changes. */
export function toolOf(part: Json) {
  const state = objectOf(part.state);
  const args = objectOf(state.input);
  const metadata = objectOf(state.metadata);
  const error = textOf(state.error);
  const toolName = textOf(part.tool) ?? "tool";
  return {
    ...describeTool(opencodeTools, toolName, args),
    toolArgs: args,
    toolStatus: state.status === "error" ? errorStatus(error) : (oneOf(statuses, state.status) ?? "running"),
    result: textOf(state.output) ?? error,
    exitCode: numberOf(metadata.exit),
    diffs: diffsOf(toolName, args, metadata),
  };
}

/** A refusal is told by its words alone: "The user rejected permission …", or a rule of the config that "prevents" it. */
function errorStatus(error: string | undefined): ToolStatus {
  return error !== undefined && /rejected permission|a rule which prevents/.test(error) ? "denied" : "failed";
}

function diffsOf(toolName: string, args: Json, metadata: Json): FileDiff[] | undefined {
  const path = pathOf(args);
  const content = textOf(args.content);
  const diff = textOf(metadata.diff);
  if (path !== undefined && diff !== undefined) {
    return [{ path, change: "modify", unified: diff.replace(/^Index: .*\n=+\n/, "") }];
  }
  if (toolName !== "write" || path === undefined || content === undefined) return undefined;
  const written = diffOf(path, undefined, content);
  return [metadata.exists === true ? { ...written, change: "modify" } : written];
}

const todoStates = ["pending", "in_progress", "completed", "cancelled"] as const;

export function planOf(turn: string, args: Json): AgentEvent {
  const entries = listOf(args.todos).map((item) => {
    const todo = objectOf(item);
    const status = oneOf(todoStates, todo.status) ?? "pending";
    return { text: textOf(todo.content) ?? "", status, priority: textOf(todo.priority) };
  });
  return { type: "plan", turn, entries };
}
