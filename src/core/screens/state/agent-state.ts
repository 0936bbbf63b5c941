/** What an agent in a terminal does, as far as one can see from outside. */
export type AgentState =
  | "starting"
  | "working"
  | "idle"
  | "prompt"
  | "error"
  | "parked"
  | "restarting"
  | "exited"
  | "unknown";

/** Something the agent asks and waits for. The names are those of the wire. */
export interface Prompt {
  type: "permission" | "plan" | "question" | "setup";
  subtype?: string;
  tool: string | null;
  /** What the tool was called with, or the address to sign in at. */
  input: string | null;
  options: string[];
  /** The options could not be read: there is only yes and no. */
  options_fallback: boolean;
  questions: { question: string; options: string[] }[];
  question_current: number;
  /** Its options are known, so that it can be answered. */
  ready: boolean;
}

export const promptOf = (type: Prompt["type"], fields: Partial<Prompt> = {}): Prompt => ({
  type,
  tool: null,
  input: null,
  options: [],
  options_fallback: false,
  questions: [],
  question_current: 0,
  ready: false,
  ...fields,
});

export interface AgentTrouble {
  detail: string;
  category: string;
}

/**
 * Who says so, the most trusted first: 1 the agent's hooks, 2 its log, 3 JSON on its output, 4 its process, 5 its screen.
 */
export type Tier = 1 | 2 | 3 | 4 | 5;

/** What one of the five saw. */
export interface Report {
  tier: Tier;
  state: AgentState;
  /** `hook:idle`, `log:tool(Bash)`, `screen:setup`. */
  cause: string;
  prompt?: Prompt;
  trouble?: AgentTrouble;
  /** When it happened (wall time), where that is told later than others tell theirs: a log is written at leisure. */
  at?: number;
  /** For how long it has been saying the same; for those that look again and again. */
  heldMs?: number;
}
