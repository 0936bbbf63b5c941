/**
 * The agents whose images come with the product, and the variable each finds its credential in. The key in the Secret has
 * the variable's name.
 */
export const credentialVariables = {
  "claude-code": { "api-key": "ANTHROPIC_API_KEY", oauth: "CLAUDE_CODE_OAUTH_TOKEN" },
  codex: { "api-key": "CODEX_API_KEY", oauth: "CODEX_AUTH_JSON" },
  gemini: { "api-key": "GEMINI_API_KEY", oauth: "GEMINI_API_KEY" },
  opencode: { "api-key": "OPENCODE_API_KEY", oauth: "OPENCODE_API_KEY" },
} as const;

export type BundledAgentType = keyof typeof credentialVariables;
export const bundledAgentTypes = Object.keys(credentialVariables) as BundledAgentType[];

export const isBundledAgentType = (type: string): type is BundledAgentType => Object.hasOwn(credentialVariables, type);

/** The variable for this agent and kind of credential; an agent type of somebody else's image has none. */
export function credentialVariable(type: string, credentials: "api-key" | "oauth" | "none"): string | undefined {
  if (credentials === "none" || !isBundledAgentType(type)) return undefined;
  return credentialVariables[type][credentials];
}
