import { join } from "node:path";
import { onTestFinished } from "vitest";
import { AppError } from "../../src/contract/errors.ts";
import { openAgentSocket } from "../../src/core/host/agent-socket.ts";
import type { AgentCalls } from "../../src/core/host/tools/perform.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const refuse = async () => {
  throw new AppError("command.unsupported", "not in this test");
};
const nothing: AgentCalls = {
  bus_post: refuse,
  bus_read: refuse,
  ask_user: refuse,
  spawn_run: refuse,
  wait_run: refuse,
  run_status: refuse,
  task_create: refuse,
  task_status: refuse,
};

/** The calls of a run that does only what a test says. */
export const agentCallsFor = (calls: Partial<AgentCalls> = {}): AgentCalls => ({ ...nothing, ...calls });

/** The socket of a run that does only what a test says. */
export async function agentSocket(calls: Partial<AgentCalls> = {}) {
  const path = join(temporaryFolder(), "agent.sock");
  const server = await openAgentSocket(agentCallsFor(calls), path);
  onTestFinished(() => server.close());
  return { path, server };
}
