import type { TurnWords } from "../../contract/agents/turn-words.ts";
import type { McpServer } from "../../contract/runs/mcp-server.ts";
import type { Session } from "../../contract/sessions/session.ts";
import type { OwnTools } from "./own-tools/own-tools.ts";

/** How a program ended. `code` follows the shell: 126, 127, 128+N. */
export interface Exit {
  code: number;
  signal?: string;
  /** Set when it was ended on our own account (its output was too large). */
  reason?: string;
}

/** A started agent, as a protocol sees it. Who started it, and where it lives, is the executor's affair. */
export interface AgentProcess {
  /** The bytes of its stdout from the first; ends once it has exited and everything is read. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Resolves when the pipe took the text; rejects when the agent is gone. */
  write(text: string): Promise<void>;
  /** Closes its stdin. */
  end(): void;
  /** Never rejects. */
  readonly exited: Promise<Exit>;
  /** The last lines of its stderr, for error messages. */
  stderrTail(): string;
  /** Ends its whole tree: TERM, grace, KILL, sweep. */
  stop(graceMs: number): Promise<Exit>;
}

/** Starts the agent's program; headless protocols call it once per turn with that turn's own arguments. */
export type Launch = (turn?: { args?: readonly string[]; stdin?: string }) => Promise<AgentProcess>;

export interface OpenOptions {
  cwd: string;
  /** Wanted at the start, where the protocol sets it in the conversation (else launch put it into argv). */
  model?: string;
  /** The agent's own id of an earlier conversation. */
  resume?: { sessionId: string; fork?: boolean };
  /** The same, where the definition's flag has put it on the command line. */
  resumeInArguments?: { sessionId: string; fork?: boolean };
  /** With a process per turn: how its program is told, where its definition has words for it. */
  turnWords?: TurnWords;
  mcpServers: readonly McpServer[];
  /** The run's own, if its agent is to have them. */
  tools?: OwnTools;
  /** `protocol_config` of the definition. */
  config: Readonly<Record<string, unknown>>;
  /** A folder only we can read, for what a protocol must hand over in a file (MCP servers with their secrets). */
  privateDir?: string;
  /** By which name the agent finds it, where that is another. */
  privateDirInside?: string;
  /** The permission policy, for agents that must be told at the start (codex: approvalPolicy). */
  permissions: "ask" | "allow" | "deny";
  /** Reads the bytes of an attachment by its hash, for prompts with images. */
  readBlob(sha256: string): Promise<Uint8Array>;
  /** For REST protocols: environment of the run (keys, base URL). CLI protocols get it through launch. */
  env: Readonly<Record<string, string>>;
  /** For protocols without a process: what the agent said goes to the run's stdout file, why it failed to the other. */
  write?: (text: string, file?: "stderr") => void;
}

export interface Protocol {
  readonly name: string;
  /**
   * Resolves once the agent accepts prompts. Throws an AppError when it can't be opened; then nothing is left running.
   * Aborting the signal closes the session.
   */
  open(launch: Launch, options: OpenOptions, signal: AbortSignal): Promise<Session>;
}
