import type { EventOf, FileDiff, Tool, ToolKind, ToolStatus } from "../../../../contract/events.ts";
import { unifiedDiff } from "../../../../lib/text/unified-diff.ts";
import { type Json, listOf, numberOf, objectOf, textOf } from "../../read.ts";

type Described = Pick<Tool, "toolName" | "toolTitle" | "kind" | "toolArgs" | "diffs" | "locations">;

interface Describer {
  kind: ToolKind;
  title?: (input: Json) => string | undefined;
  diffs?: (input: Json) => FileDiff[];
}

const fileOf = (input: Json) => textOf(input.file_path) ?? textOf(input.notebook_path) ?? textOf(input.path);
const named = (verb: string) => (input: Json) => join(verb, fileOf(input));

const tools: Readonly<Record<string, Describer>> = {
  Bash: { kind: "execute", title: (input) => textOf(input.command) },
  PowerShell: { kind: "execute", title: (input) => textOf(input.command) },
  Read: { kind: "read", title: named("Read") },
  Edit: { kind: "edit", title: named("Edit"), diffs: editDiffs },
  MultiEdit: { kind: "edit", title: named("Edit"), diffs: editDiffs },
  NotebookEdit: { kind: "edit", title: named("Edit"), diffs: notebookDiffs },
  Write: { kind: "edit", title: named("Write"), diffs: writeDiffs },
  Glob: { kind: "search", title: (input) => join("Find", textOf(input.pattern)) },
  Grep: { kind: "search", title: (input) => join("Search", textOf(input.pattern)) },
  LS: { kind: "search", title: named("List") },
  ToolSearch: { kind: "search", title: (input) => join("Find tools", textOf(input.query)) },
  WebFetch: { kind: "fetch", title: (input) => join("Fetch", textOf(input.url)) },
  WebSearch: { kind: "fetch", title: (input) => join("Search the web", textOf(input.query)) },
  Task: { kind: "subagent", title: (input) => textOf(input.description) },
  Agent: { kind: "subagent", title: (input) => textOf(input.description) },
  TodoWrite: { kind: "todo", title: () => "Update the to-do list" },
  TaskCreate: { kind: "todo", title: (input) => join("New to-do", textOf(input.subject)) },
  TaskUpdate: { kind: "todo", title: (input) => join("Update to-do", textOf(input.taskId)) },
  TaskGet: { kind: "todo", title: (input) => join("Read to-do", textOf(input.taskId)) },
  TaskList: { kind: "todo", title: () => "Read the to-do list" },
  ExitPlanMode: { kind: "think", title: () => "Propose a plan" },
  EnterPlanMode: { kind: "think", title: () => "Make a plan first" },
  AskUserQuestion: { kind: "other", title: (input) => textOf(objectOf(listOf(input.questions)[0]).question) },
  Skill: { kind: "other", title: (input) => join("Skill", textOf(input.skill) ?? textOf(input.command)) },
};

export const kindOf = (name: string): ToolKind => tools[name]?.kind ?? "other";

export function titleOf(name: string, input: Json): string {
  const [prefix, server, ...tool] = name.split("__");
  if (prefix === "mcp" && server !== undefined && tool.length > 0) return `${server}: ${tool.join("__")}`;
  return tools[name]?.title?.(input) || name;
}

export function describeTool(name: string, input: Json): Described {
  const path = fileOf(input);
  const diffs = tools[name]?.diffs?.(input);
  return {
    toolName: name,
    toolTitle: titleOf(name, input),
    kind: kindOf(name),
    toolArgs: input,
    diffs,
    locations: path === undefined ? undefined : [{ path, line: numberOf(input.offset) }],
  };
}

export function actionDetails(name: string, input: Json): EventOf<"permission_request">["actionDetails"] {
  const path = fileOf(input);
  return {
    command: textOf(input.command),
    paths: path === undefined ? undefined : [path],
    url: textOf(input.url),
    diffs: tools[name]?.diffs?.(input),
  };
}

/** The list that TodoWrite replaces, or the plan that is to be approved. */
export function planOf(name: string, input: Json): Omit<EventOf<"plan">, "type" | "turn"> | undefined {
  if (name === "ExitPlanMode") {
    const markdown = textOf(input.plan);
    return markdown === undefined ? undefined : { markdown, entries: [] };
  }
  if (name !== "TodoWrite") return undefined;
  const entries = listOf(input.todos).map((item) => {
    const todo = objectOf(item);
    const status = textOf(todo.status);
    const known = status === "in_progress" || status === "completed" ? status : "pending";
    return { text: textOf(todo.content) ?? "", status: known, priority: textOf(todo.priority) } as const;
  });
  return { entries };
}

/** How a tool ended. `output` is the tool's own structured result, whose shape depends on the tool. */
export function resultOf(block: Json, output: unknown, status: ToolStatus): Partial<Tool> {
  const text = contentText(block.content);
  const result = status === "running" ? undefined : text; // it only tells the model that it was launched
  return { toolStatus: status, result, exitCode: exitCodeOf(result, output, status), diffs: resultDiffs(output) };
}

/** Text of a string or of blocks; what isn't text is named. */
export function contentText(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  const parts = listOf(content).map((item) => {
    const block = objectOf(item);
    return textOf(block.text) ?? `[${String(block.type)}]`;
  });
  return parts.length === 0 ? undefined : parts.join("\n");
}

function exitCodeOf(result: string | undefined, output: unknown, status: ToolStatus): number | undefined {
  if (status === "failed") {
    const match = /^Exit code (\d+)/.exec(result ?? "");
    return match === null ? undefined : Number(match[1]);
  }
  const { stdout, interrupted } = objectOf(output);
  return status === "completed" && typeof stdout === "string" && interrupted !== true ? 0 : undefined;
}

/** Edit and Write report what they changed, with the real line numbers. */
function resultDiffs(output: unknown): FileDiff[] | undefined {
  const { filePath, structuredPatch, type, content, originalFile } = objectOf(output);
  const path = textOf(filePath);
  if (path === undefined || !Array.isArray(structuredPatch)) return undefined;
  if (type === "create") return [{ path, change: "create", unified: diff(path, undefined, textOf(content)) }];
  if (structuredPatch.length > 0) return [{ path, change: "modify", unified: patchText(path, structuredPatch) }];
  const before = textOf(originalFile);
  const after = textOf(content);
  if (before === undefined || after === undefined) return undefined;
  return [{ path, change: "modify", unified: diff(path, before, after) }];
}

function patchText(path: string, hunks: readonly unknown[]): string {
  const name = path.replace(/^\//, "");
  const body = hunks.map((item) => {
    const { oldStart, oldLines, newStart, newLines, lines } = objectOf(item);
    return `@@ -${String(oldStart)},${String(oldLines)} +${String(newStart)},${String(newLines)} @@\n${listOf(lines).join("\n")}\n`;
  });
  return `--- a/${name}\n+++ b/${name}\n${body.join("")}`;
}

/** The text to be replaced, not the file: we can't see that, so the line numbers count from the text's start. */
function editDiffs(input: Json): FileDiff[] {
  const path = fileOf(input);
  if (path === undefined) return [];
  const edits = input.edits === undefined ? [input] : listOf(input.edits).map(objectOf);
  return edits.map(({ old_string, new_string }) => {
    const before = textOf(old_string) ?? "";
    const create = before === "";
    const unified = diff(path, create ? undefined : wholeLines(before), wholeLines(textOf(new_string) ?? ""));
    return { path, change: create ? "create" : "modify", unified };
  });
}

/** Whether a file is overwritten is known only by its result; until then it counts as new. */
function writeDiffs(input: Json): FileDiff[] {
  const path = fileOf(input);
  return path === undefined ? [] : [{ path, change: "create", unified: diff(path, undefined, textOf(input.content)) }];
}

function notebookDiffs(input: Json): FileDiff[] {
  const path = fileOf(input);
  return path === undefined
    ? []
    : [{ path, change: "modify", unified: diff(path, "", wholeLines(textOf(input.new_source) ?? "")) }];
}

/** A piece of a file ends where it ends, not at the end of the file: a diff must not say so. */
const wholeLines = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

const diff = (path: string, before: string | undefined, after: string | undefined) =>
  unifiedDiff(path.replace(/^\//, ""), before, after ?? "");

const join = (verb: string, rest: string | undefined) => (rest === undefined ? undefined : `${verb} ${rest}`);
