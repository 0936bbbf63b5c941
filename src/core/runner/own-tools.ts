import { OWN_TOOLS } from "../../contract/requests/policy.ts";
import type { OwnTools } from "../sessions/open.ts";
import type { RunSpec } from "./run-spec.ts";

/** The program that carries MCP between an agent and its run's socket. */
export interface ToolProgram {
  command: string;
  args: readonly string[];
}

/** A person who is asked may be asleep. */
const PATIENCE_MS = 24 * 3_600_000;

/**
 * The run's own tools, and the ways in which its agent can reach them. The socket is an argument of the program and not a
 * variable: what is in a variable may be a secret, and goes to some agents through a file. This is none, and reaches an agent
 * that sees no file of ours. Nor does such an agent have our network.
 */
export function toolsOf(
  { tools, toolHost, executor }: Pick<RunSpec, "tools" | "toolHost" | "executor">,
  socket: string | undefined,
): OwnTools | undefined {
  if (tools === undefined || toolHost === undefined || socket === undefined) return undefined;
  const inside = executor?.inside;
  return {
    name: OWN_TOOLS,
    callLimitMs: PATIENCE_MS,
    connect: () => toolHost.connect(),
    http: inside === undefined ? () => toolHost.http() : undefined,
    program: { command: tools.command, args: [...tools.args, "--socket", inside?.socket ?? socket] },
  };
}
