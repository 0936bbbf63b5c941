import type { FileDiff } from "../../../../contract/events.ts";
import { type Json, textOf } from "../../read.ts";
import { diffOf, pathOf, type ToolShape } from "../tools.ts";

export const geminiTools: Readonly<Record<string, ToolShape>> = {
  run_shell_command: { kind: "execute", title: "command" },
  read_file: { kind: "read" },
  read_many_files: { kind: "read" },
  list_directory: { kind: "search", title: "dir_path" },
  glob: { kind: "search", title: "pattern" },
  grep_search: { kind: "search", title: "pattern" },
  search_file_content: { kind: "search", title: "pattern" },
  write_file: { kind: "edit" },
  replace: { kind: "edit" },
  web_fetch: { kind: "fetch", title: "prompt" },
  google_web_search: { kind: "search", title: "query" },
  write_todos: { kind: "todo" },
  invoke_agent: { kind: "subagent", title: "prompt" },
  update_topic: { kind: "think", title: "title" },
  save_memory: { kind: "think", title: "fact" },
  get_internal_docs: { kind: "read", title: "path" },
};

export function geminiDiffs(toolName: string, args: Json): FileDiff[] | undefined {
  const path = pathOf(args);
  if (path === undefined) return undefined;
  const content = textOf(args.content);
  if (toolName === "write_file" && content !== undefined) return [diffOf(path, undefined, content)];
  const [before, after] = [textOf(args.old_string), textOf(args.new_string)];
  if (toolName !== "replace" || before === undefined || after === undefined) return undefined;
  // An empty old_string is gemini's way to create a file.
  return [diffOf(path, before === "" ? undefined : before, after)];
}
