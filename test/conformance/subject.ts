import type { RunSpec } from "../../src/runner/run.ts";

/** What a behaviour may want changed in how the agent is started. */
export interface Wishes {
  model?: string;
  key?: "wrong";
  /** The model's server: not there, or answering with this status, or never. */
  server?: "down" | 500 | "silent";
  mcp?: boolean;
  permissions?: "ask" | "allow" | "deny";
  resume?: string;
  program?: string;
}

/** One agent as the conformance list sees it: how to start it, and what to say so that it does a thing. */
export interface Subject {
  name: string;
  spec(wishes?: Wishes): RunSpec;
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
  };
  /** The models it can switch between in a session. */
  models: [string, string];
  /** Behaviours this agent can't have, each with the fact that prevents it. Run all the same: when one passes, this must go. */
  gaps: Readonly<Partial<Record<string, string>>>;
}
