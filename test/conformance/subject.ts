import type { RunInfo } from "../../src/contract/runs/run.ts";
import type { RunSpec } from "../../src/core/runner/run.ts";

/** What a behaviour may want changed in how the agent is started. */
export interface Wishes {
  model?: string;
  key?: "wrong";
  /** The model's server: not there, or answering with this status, or never. */
  server?: "down" | 500 | "silent";
  mcp?: boolean;
  permissions?: "ask" | "allow" | "deny";
  /** Goes on from this run. */
  resume?: RunInfo;
  /** Its program is nowhere on the PATH. */
  missing?: true;
}

/** One agent as the conformance list sees it: how to start it, and what to say so that it does a thing. */
export interface Subject {
  /** Its id in agents.json. */
  name: string;
  /** As its program says it; the demo has none of its own. */
  version?: string;
  /** Rejects where a run is refused before it is made. */
  spec(wishes?: Wishes): Promise<RunSpec>;
  /** Prompts by what they make the agent do. */
  say: {
    hello: string;
    think?: string;
    /** Runs a shell command that needs permission and makes this file. */
    shell(file: string): string;
    /** Writes this file with the agent's own editing tool. */
    edit(file: string): string;
    /** Says "tick 1 tick 2 …" slowly, for a minute. */
    slow: string;
    /** Asks for two permissions before it waits for either. */
    two?: string;
    /** Asks a question with choices, one of them "blue". */
    question?: string;
    /** Something worth remembering. */
    remember(word: string): string;
    /** Answers with everything the person said before. */
    recall: string;
    /** Says which model it is. */
    model: string;
    mcp?: string;
    /** For an agent without a model: what to say to get into the trouble that the wishes ask for. */
    trouble?(wishes: Wishes): string;
  };
  /** The models it can switch between in a session. */
  models: [string, string];
  /** What its model's server counts for `hello`, what it had in its cache included. */
  counted: { usage: { input: number; output: number }; context: number };
  /** Behaviours this agent can't have. Run all the same: when one passes, it must go from here. */
  gaps: Readonly<Record<string, Gap>>;
}

export interface Gap {
  /** The fact that prevents it, as the documentation tells it. */
  fact: string;
  /** What is in the failure, so that another defect isn't taken for this one. */
  fails: string;
}

/** What differs when an agent doesn't live on this machine itself. */
export interface Elsewhere {
  profile: Readonly<Record<string, unknown>>;
  env?: Readonly<Record<string, string>>;
  gaps?: Readonly<Record<string, Gap>>;
}
