import { McpServer, type ServerContext } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { type AgentOp, agentOps, type GivenTo } from "../../contract/agent-socket.ts";
import { AppError, messageOf } from "../../contract/errors.ts";
import { harmlessTools, OWN_TOOLS } from "../../contract/requests/policy.ts";
import { VERSION } from "../../lib/base/version.ts";
import { callRun } from "../../lib/client/agent-socket.ts";

/** Many agents give up on a call after a minute or two, unless they hear that it goes on. A person takes longer. */
const BEAT_MS = 15_000;

/** The operations of a run's socket as MCP tools. Nothing is decided here: the run does, at the other end of the socket. */
export function mcpServer(socketPath: string, { beatMs = BEAT_MS }: { beatMs?: number } = {}): McpServer {
  const server = new McpServer({ name: OWN_TOOLS, version: VERSION });
  for (const op of Object.keys(agentOps) as AgentOp[]) {
    const { summary, params }: { summary: string; params: z.ZodType<GivenTo<AgentOp>> } = agentOps[op];
    const config = { description: summary, inputSchema: params, annotations: annotationsOf(op) };
    server.registerTool(op, config, async (given, { mcpReq }) => {
      const beat = setInterval(() => void sayStillWaiting(mcpReq), beatMs);
      try {
        const result = await callRun(socketPath, op, given, mcpReq.signal);
        return said(JSON.stringify(result, null, 2));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return { ...said(messageOf(error)), isError: true };
      } finally {
        clearInterval(beat);
      }
    });
  }
  return server;
}

async function sayStillWaiting({ _meta, notify }: ServerContext["mcpReq"]): Promise<void> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress: Date.now(), message: "waiting" };
  await notify({ method: "notifications/progress", params }).catch(() => {}); // then it is gone, and its call is cancelled
}

/** Agents that go by these don't ask for leave to talk; for what starts something they do. */
const annotationsOf = (op: AgentOp) =>
  harmlessTools.includes(op) ? { destructiveHint: false, openWorldHint: false } : undefined;

const said = (text: string) => ({ content: [{ type: "text" as const, text }] });
