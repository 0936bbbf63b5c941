import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import type { Translator } from "../../../contract/sessions/session.ts";
import type { ApiError } from "../api-error.ts";
import type { Exit } from "../protocol.ts";
import type { Json } from "../read.ts";
import type { Conversation, Resume } from "./conversation.ts";
import type { Waiting } from "./patience.ts";

/**
 * One CLI that runs a turn per process. The prompt goes to its stdin, unless its definition wants it as an argument: argv has a
 * limit, and flags begin with "-".
 */
export interface Dialect<State extends Conversation> {
  /** The protocol's name in a definition, and in `unmapped` events. */
  readonly name: string;
  readonly translator: Translator<Json, State>;
  /** Names an MCP server in the arguments of a turn, where that is possible. */
  mcpArguments?(server: McpServer): string[];
  /** The last words of a turn: they say that the prompt is on stdin. */
  readonly promptArguments: readonly string[];
  /** It prints words, not JSON: each line is a message `{ text }`. */
  readonly isPlain?: true;
  /** What happens to a tool that needs a permission, for people who chose to be asked. */
  readonly neverAsks: string;
  /** What an exit means that no line of the stream explained. */
  explainExit(exit: Exit, stderr: string, resume: Resume | undefined): ExitTrouble | undefined;
  /** Whether it waits for the model's server and would do so for ever. */
  waiting(state: State): Waiting;
}

export interface ExitTrouble extends ApiError {
  /** Better than the advice of its category. */
  remedy?: string;
}

/** A resume token can die: the CLI keeps its history per machine, per directory and not for ever. */
export function deadToken(agent: string, resume: Resume): ExitTrouble {
  return {
    category: "other",
    message: `${agent} doesn't know the conversation ${resume.sessionId}: its history isn't here, or is deleted`,
    remedy: "start a new conversation, or resume in the directory and home in which this one was held",
  };
}

/** stderr without colours, as a message: the lines that say something. */
export function plainText(stderr: string): string {
  const text = stderr.replace(/\u001b\[[\d;]*m/g, "").trim();
  return text.split("\n").slice(0, 5).join("\n");
}
