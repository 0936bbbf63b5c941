/** The library: any coding agent behind one interface. The command line is built on the same parts. */
export { AppError } from "./contract/errors.ts";
export type { AgentEvent, EventOf, Usage } from "./contract/events.ts";
export type { TranscriptItem } from "./contract/runs/transcript.ts";
export {
  type Agent,
  type AgentConfig,
  type AgentSession,
  createAgent,
  type SessionOptions,
  type TurnResult,
} from "./core/library/agent.ts";
export type { RunContext } from "./core/library/run-context.ts";
