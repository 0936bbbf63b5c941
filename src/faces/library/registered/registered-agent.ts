import type { ToolKind, Usage } from "../../../contract/events.ts";
import type { RunContext } from "../run-context.ts";

/**
 * An agent of your own, by the least that is one. Its runs are runs like any other, but it is code of this program: they are
 * hosted in this process, and end with it.
 */
export interface RegisteredAgent {
  /**
   * Works on one prompt to its end: resolves on success, rejects with what went wrong. `signal` aborts when somebody interrupts
   * or stops it. What it writes to `stdoutPath` is what it said, unless it says something by `turn`.
   */
  execute(context: RunContext, signal: AbortSignal, turn: AgentTurn): Promise<void>;
}

/** What an agent can do in its turn beside its work. After the turn's end nothing of it has an effect. */
export interface AgentTurn {
  /** Says it to whoever looks on, as it comes. It goes to the run's stdout, too. */
  say(text: string): void;
  /** Whether it may. Rules and the policy decide, or a person; rejected when the turn is cut short first. */
  permission(wanted: WantedPermission): Promise<boolean>;
  /** A person's answer; nothing where they decline. Rejected when the turn is cut short first. */
  ask(question: string, choices?: readonly string[]): Promise<string | undefined>;
  /** What the turn has used so far: budgets go by it. */
  usage(soFar: Usage): void;
}

export interface WantedPermission {
  /** What a person reads: "delete everything". */
  title: string;
  /** `other`, if nothing is said. */
  kind?: ToolKind;
  command?: string;
  paths?: string[];
  url?: string;
  reason?: string;
}

/** By the name that `start` takes as `agent`. */
export type RegisteredAgents = Readonly<Record<string, RegisteredAgent>>;
