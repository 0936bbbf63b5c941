import type { Content, QueuedPrompt } from "../events.ts";
import type { PermissionMode, Policy, Unattended } from "../requests/policy.ts";
import type { GivenBudget } from "./budget.ts";
import type { McpServer } from "./mcp-server.ts";
import type { ExecutorName, RunInfo } from "./run.ts";

/**
 * What is wanted of a run, as plain data: the same from a command line, HTTP, a task, an editor, an agent and a program. What
 * isn't said is decided where the run is hosted, from the profile, the earlier run and the config.
 */
export interface RunRequest {
  who: {
    agent?: string;
    /** By name: its secrets are read where the run is hosted, and are in no request. */
    profile?: string;
    model?: string;
    /** Who takes over, in this order, when it can't work. */
    fallback?: readonly string[];
  };
  what: {
    prompt: readonly Content[];
    /** What lists show of it; without one, the first line of the prompt. */
    title?: string;
    mode: RunInfo["mode"];
    /** A person looks at each finished turn: the task goes to review, not to done or failed. `changes`: if there are any. */
    review?: boolean | "changes";
    /** One attempt of several: the loop says when the task has ended. */
    looped?: boolean;
    /** Of the first prompt, so that whoever sent it knows it again. */
    promptId?: string;
    /** Prompts that waited when an earlier run was lost: they wait again, behind the first one. */
    queued?: readonly QueuedPrompt[];
    /** What was set in the earlier run by its person: model, mode, effort. */
    setOptions?: readonly { id: string; value: string | boolean }[];
    /** Over those of the profile. */
    mcpServers?: readonly McpServer[];
    /** `false`: the agent doesn't get the run's own tools. */
    tools?: boolean;
    /** `false`: the agent isn't told about its run before the first prompt. */
    preamble?: boolean;
  };
  where: {
    project?: string;
    task?: string;
    /** Absolute; without one, that of the run it goes on with. */
    workspace?: string;
    /** Where the agent lives; else the profile says it, or its image does. */
    on?: ExecutorName;
    /** Off: only where it is isolated. */
    network?: "on" | "off";
    /** Work in a checkout of the task's own, made of the repository the workspace is in. */
    worktree?: { base?: string };
    env?: Readonly<Record<string, string>>;
    cleanEnv?: boolean;
  };
  limits: {
    permissions?: PermissionMode;
    /** Per kind of tool, over `permissions`. */
    permissionKinds?: Policy["kinds"];
    /** Why nobody can be asked. */
    unattended?: Unattended;
    timeoutMs?: number;
    idleTimeoutMs?: number;
    /** Where these two were set, for whoever reads that they were reached. */
    timeoutFrom?: string;
    idleTimeoutFrom?: string;
    /** Close the conversation when nothing was asked for this long. */
    closeIdleMs?: number;
    budget?: GivenBudget;
  };
  lineage: {
    /** Who wants it, as others will read it. */
    by: string;
    parent?: string;
    /** The attempt before this one, whether or not its conversation goes on. */
    previous?: string;
    /**
     * Go on with the conversation of that run. `carry`: with the prompts that waited there and what was switched. `anew`: on
     * its terms, but in a new conversation.
     */
    resume?: { run: string; carry?: boolean; anew?: boolean };
    /** Branch off from that run, after that turn of it. */
    fork?: { run: string; turn?: string };
  };
}

/** A request in which everything is decided that a host needs to know. */
export interface DecidedRequest {
  who: RunRequest["who"] & { agent: string; profile: string };
  what: RunRequest["what"];
  where: RunRequest["where"] & {
    project: string;
    task: string;
    workspace: string;
    /** Nobody named it: if others have that name, it gets another. */
    newTask?: boolean;
  };
  limits: RunRequest["limits"] & { permissions: PermissionMode };
  lineage: RunRequest["lineage"] & {
    /** Another agent than the one that held the conversation is told of it: it knows nothing of that session. */
    conversation?: { sessionId: string; otherAgent?: boolean; fork?: boolean };
  };
}

/** A run that has a directory and a host. */
export interface StartedRun {
  runId: string;
  /** What people call it by. */
  handle: number;
  project: string;
  task: string;
  agent: string;
  /** What a person should know of how it was decided. */
  notices: readonly string[];
}

/** Starts a run in a host of its own; a refusal is thrown before anything is made. */
export type StartRun = (request: RunRequest) => Promise<StartedRun>;

/** A prompt to a conversation whose run is gone: a new run goes on with it, with the same folder, model, mode and terms. */
export const resumeRequest = (
  run: string,
  what: Pick<RunRequest["what"], "prompt" | "promptId">,
  by: string,
): RunRequest => ({
  who: {},
  what: { ...what, mode: "interactive" },
  where: {},
  limits: {},
  lineage: { by, resume: { run, carry: true } },
});

/** Branches off after a turn of it. */
export const forkRequest = (
  run: string,
  turn: string | undefined,
  prompt: RunRequest["what"]["prompt"],
  by: string,
): RunRequest => ({
  who: {},
  what: { prompt, mode: "interactive" },
  where: {},
  limits: {},
  lineage: { by, fork: { run, ...(turn === undefined ? {} : { turn }) } },
});
