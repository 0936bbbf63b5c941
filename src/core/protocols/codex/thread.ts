import { AppError } from "../../../contract/errors.ts";
import type { Content } from "../../../contract/events.ts";
import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import type { OpenOptions } from "../protocol.ts";
import { type Json, textOf } from "../read.ts";

/** Nothing that would leave the sandbox is asked for; tools of MCP servers are, since "never" would refuse them all. */
const withinSandbox = {
  granular: {
    sandbox_approval: false,
    rules: false,
    skill_approval: false,
    request_permissions: false,
    mcp_elicitations: true,
  },
};

/** What codex may do unasked. Only the sandbox is a fence; who is asked is courtesy. A denial is ours, so that it is seen. */
const policies: Readonly<Record<OpenOptions["permissions"], { approvalPolicy: string | Json; sandbox: string }>> = {
  ask: { approvalPolicy: "untrusted", sandbox: "workspace-write" },
  allow: { approvalPolicy: withinSandbox, sandbox: "workspace-write" },
  deny: { approvalPolicy: "untrusted", sandbox: "read-only" },
};

/** How the conversation is opened: the request and its parameters. */
export function threadRequest(options: OpenOptions): { method: string; params: Json } {
  const { cwd, model, resume, permissions, config, mcpServers } = options;
  const { approvalPolicy, sandbox } = policies[permissions];
  const params: Json = {
    cwd,
    model,
    approvalPolicy,
    sandbox: textOf(config.sandbox) ?? sandbox,
    config: mcpServers.length === 0 ? undefined : Object.fromEntries(mcpServers.map(mcpEntry)),
  };
  if (resume === undefined) return { method: "thread/start", params };
  const method = resume.fork ? "thread/fork" : "thread/resume";
  return { method, params: { ...params, threadId: resume.sessionId, excludeTurns: true } };
}

function mcpEntry({ name, transport, callLimitMs }: McpServer): [string, Json] {
  if (!/^[\w-]+$/.test(name)) {
    throw new AppError("config.invalid", `MCP server ${name}: codex takes only letters, digits, _ and - in a name`);
  }
  const key = `mcp_servers.${name}`;
  const limit = callLimitMs === undefined ? {} : { tool_timeout_sec: callLimitMs / 1000 };
  switch (transport.type) {
    case "stdio":
      return [key, { command: transport.command, args: transport.args, env: transport.env, ...limit }];
    case "http":
      return [key, { url: transport.url, http_headers: transport.headers, ...limit }];
    case "sse":
      throw new AppError("config.invalid", `MCP server ${name}: codex does not speak SSE; use its HTTP address`);
  }
}

/** A part of a prompt as codex takes it; images travel as data URLs, so that no file has to be visible to it. */
export async function inputOf(part: Content, options: OpenOptions): Promise<Json> {
  if (part.type === "text") return { type: "text", text: part.text, text_elements: [] };
  const bytes = Buffer.from(await options.readBlob(part.sha256));
  if (part.type !== "file") {
    return { type: part.type, url: `data:${part.mimeType};base64,${bytes.toString("base64")}` };
  }
  if (!part.mimeType.startsWith("text/") && part.mimeType !== "application/json") {
    throw new AppError("command.unsupported", `codex can't read ${part.mimeType}`);
  }
  return { type: "text", text: `${part.name ?? "attachment"}:\n\n${bytes.toString("utf8")}`, text_elements: [] };
}
