import { McpServer } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { VERSION } from "../base/version.ts";
import { callRun } from "../client/agent-socket.ts";
import { type AgentOp, agentOps, type GivenTo } from "../contract/agent-socket.ts";
import { AppError, messageOf } from "../contract/errors.ts";
import { harmlessTools, OWN_TOOLS } from "../contract/policy.ts";

/** The operations of a run's socket as MCP tools. Nothing is decided here: the run does, at the other end of the socket. */
export function mcpServer(socketPath: string): McpServer {
  const server = new McpServer({ name: OWN_TOOLS, version: VERSION });
  for (const op of Object.keys(agentOps) as AgentOp[]) {
    const { summary, params }: { summary: string; params: z.ZodType<GivenTo<AgentOp>> } = agentOps[op];
    const config = { description: summary, inputSchema: params, annotations: annotationsOf(op) };
    server.registerTool(op, config, async (given, { mcpReq }) => {
      try {
        const result = await callRun(socketPath, op, given, mcpReq.signal);
        return said(JSON.stringify(result, null, 2));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return { ...said(messageOf(error)), isError: true };
      }
    });
  }
  return server;
}

/** Agents that go by these don't ask for leave to talk; for what starts something they do. */
const annotationsOf = (op: AgentOp) =>
  harmlessTools.includes(op) ? { destructiveHint: false, openWorldHint: false } : undefined;

const said = (text: string) => ({ content: [{ type: "text" as const, text }] });
