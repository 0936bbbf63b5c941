/** How we can speak to an agent. */
export const protocolNames = [
  "acp",
  "rest",
  "mcp",
  "codex",
  "codex-exec",
  "claude-code",
  "gemini",
  "opencode",
  "text",
  "terminal",
] as const;
export type ProtocolName = (typeof protocolNames)[number];

type Protocols = ReadonlySet<ProtocolName>;

/** One process per turn: nothing but the command line and the prompt reaches it, so it can't ask either. */
export const processPerTurn: Protocols = new Set(["codex-exec", "gemini", "opencode", "text"]);

/** Takes the MCP servers of a profile. */
export const takesServers: Protocols = new Set(["acp", "claude-code", "codex", "codex-exec"]);

/** Takes the run's own tools beside them. */
export const takesTools: Protocols = new Set(["acp", "claude-code", "codex"]);

/** Tells after every call of its model what that call used; others tell what a whole turn did. */
export const reportsCalls: Protocols = new Set(["opencode"]);

/** How a program that is started anew for every turn is told the model, and the conversation to go on with. */
export interface CliFlags {
  model: string;
  resume: string;
  fork: string;
}

/**
 * What the real programs take. A definition that says nothing of a flag has these; what it says, even that there is none,
 * goes before. Nothing else in the code knows them.
 */
const flags: Partial<Record<ProtocolName, CliFlags>> = {
  "codex-exec": { model: "-m {model}", resume: "resume", fork: "fork" },
  gemini: { model: "-m {model}", resume: "--resume", fork: "" },
  opencode: { model: "--model {model}", resume: "--session", fork: "--fork --session" },
};

const none: CliFlags = { model: "", resume: "", fork: "" };

export const flagsOf = (protocol: ProtocolName): CliFlags => flags[protocol] ?? none;
