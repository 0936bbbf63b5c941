import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { ToolCall, ToolKind } from "@agentclientprotocol/sdk";
import { messageOf } from "../contract/errors.ts";
import { askPermission } from "./asking.ts";
import { textContent } from "./conversation/history.ts";
import { verdict } from "./conversation/settings.ts";
import { callMcpTool } from "./mcp/mcp.ts";
import { runShell } from "./shell.ts";
import { textIfThere } from "./text-file.ts";
import { Cancelled, newId, type Turn } from "./turn.ts";

export interface Outcome {
  status: "completed" | "failed";
  /** It was not even tried, because someone or the mode said no. */
  refused?: true;
  text: string;
  rawOutput?: unknown;
}

type NewTool = Pick<ToolCall, "title" | "content" | "locations" | "rawInput"> & { name: string; kind: ToolKind };

/** Announces a tool, gets leave for it where the mode wants that, runs it and reports. What fails is an outcome. */
export async function useTool(turn: Turn, tool: NewTool, work: () => Outcome | Promise<Outcome>): Promise<Outcome> {
  const toolCallId = newId("call");
  await turn.update({ sessionUpdate: "tool_call", toolCallId, status: "pending", ...tool });
  const end = async (outcome: Outcome): Promise<Outcome> => {
    const { status, text, rawOutput = text } = outcome;
    // A diff stays what the call shows; the text joins it.
    const content = [...(tool.content ?? []), textContent(text)];
    await turn.update({ sessionUpdate: "tool_call_update", toolCallId, status, content, rawOutput });
    return outcome;
  };
  try {
    const objection = await objectionTo(turn, { toolCallId, status: "pending", ...tool });
    if (objection !== undefined) return await end({ status: "failed", refused: true, text: objection });
    await turn.update({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
    return await end(await work());
  } catch (error) {
    const outcome = await end({ status: "failed", text: error instanceof Cancelled ? "Cancelled." : messageOf(error) });
    if (error instanceof Cancelled) throw error;
    return outcome;
  }
}

async function objectionTo(turn: Turn, call: NewTool & { toolCallId: string; status: "pending" }) {
  const { settings, alwaysAllowed } = turn.session;
  const ruling = verdict(settings.mode, call.kind, alwaysAllowed);
  if (ruling === "refuse") return "Plan mode: nothing is changed.";
  if (ruling === "allow") return undefined;
  const answer = await askPermission(turn, call);
  if (answer === "allow-always") alwaysAllowed.add(call.kind);
  return answer === "reject-once" ? "You said no." : undefined;
}

export function listDirectory(turn: Turn, path: string): Promise<Outcome> {
  const directory = resolve(turn.session.cwd, path);
  const tool = { name: "list_directory", title: `List ${path}`, kind: "search", rawInput: { path } } as const;
  return useTool(turn, { ...tool, locations: [{ path: directory }] }, () => ({
    status: "completed",
    text: readdirSync(directory).sort().slice(0, 200).join("\n"),
  }));
}

export function readTextFile(turn: Turn, path: string): Promise<Outcome> {
  const file = resolve(turn.session.cwd, path);
  const tool = { name: "read_file", title: `Read ${path}`, kind: "read", rawInput: { path } } as const;
  return useTool(turn, { ...tool, locations: [{ path: file, line: 1 }] }, () => ({
    status: "completed",
    text: readFileSync(file, "utf8").slice(0, 100_000),
  }));
}

/** Writes the file, with the difference as what the call shows. */
export function editFile(turn: Turn, path: string, newText: string): Promise<Outcome> {
  const file = resolve(turn.session.cwd, path);
  const oldText = textIfThere(file);
  const title = `${oldText === null ? "Create" : "Edit"} ${basename(file)}`;
  const content = [{ type: "diff" as const, path: file, oldText, newText }];
  const tool = { name: "edit_file", title, kind: "edit", content, rawInput: { path, content: newText } } as const;
  return useTool(turn, { ...tool, content, locations: [{ path: file }] }, () => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, newText);
    return { status: "completed", text: `Wrote ${Buffer.byteLength(newText)} bytes to ${path}.` };
  });
}

export function runCommand(turn: Turn, command: string): Promise<Outcome> {
  const { cwd } = turn.session;
  const tool = { name: "run_command", title: command, kind: "execute", rawInput: { command, cwd } } as const;
  return useTool(turn, tool, async () => {
    const { exitCode, output } = await runShell(command, cwd, turn.signal);
    const status = exitCode === 0 ? "completed" : "failed";
    return { status, text: output === "" ? "(no output)" : output, rawOutput: { output, exitCode } };
  });
}

export function useMcp(turn: Turn, server: string, toolName: string, input: unknown): Promise<Outcome> {
  const name = `mcp__${server}__${toolName}`;
  return useTool(turn, { name, title: name, kind: "other", rawInput: input }, async () => {
    const { text, isError } = await callMcpTool(turn.session.mcpServer(server), toolName, input, turn.signal);
    return { status: isError ? "failed" : "completed", text };
  });
}
