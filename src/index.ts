/** The library: runs of any coding agent, here or on a server. The command line and the server are built on the same parts. */
export type { Answer } from "./contract/commands.ts";
export { AppError, type ErrorCode } from "./contract/errors.ts";
export type { AgentEvent, Content, EventOf, RecordedEvent, Usage } from "./contract/events.ts";
export type { McpServer } from "./contract/runs/mcp-server.ts";
export type { RunRecord } from "./contract/runs/record.ts";
export type { RunSummary } from "./contract/runs/run.ts";
export type { OpenRequest, TranscriptItem } from "./contract/sessions/transcript.ts";
export {
  type Agent,
  type AgentConfig,
  type AgentSession,
  createAgent,
  type SessionOptions,
} from "./faces/library/agent.ts";
export { type Coxswain, coxswain, type LocalOptions, type ServerOptions } from "./faces/library/coxswain.ts";
export type { GivenAnswer } from "./faces/library/given-answer.ts";
export type { Wanted } from "./faces/library/place.ts";
export type {
  AgentTurn,
  RegisteredAgent,
  RegisteredAgents,
  WantedPermission,
} from "./faces/library/registered/registered-agent.ts";
export type { OnRequest, Run } from "./faces/library/run.ts";
export type { RunContext } from "./faces/library/run-context.ts";
export type { StartOptions } from "./faces/library/start-options.ts";
export type { TurnResult } from "./faces/library/turn.ts";
