/** What the agents of pods speak: one prompt, and nobody to ask. By agent type; an image of somebody else's speaks its own. */
const protocols: Readonly<Record<string, string>> = {
  "claude-code": "claude-code",
  codex: "codex-exec",
  gemini: "gemini",
  opencode: "opencode",
};

export const streamProtocolOf = (agentType: string): string | undefined =>
  Object.hasOwn(protocols, agentType) ? protocols[agentType] : undefined;
