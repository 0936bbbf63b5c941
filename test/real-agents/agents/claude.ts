import type { RealAgent } from "../real-agent.ts";

const questions = [
  {
    question: "Which colour?",
    header: "Colour",
    multiSelect: false,
    options: [
      { label: "red", description: "warm" },
      { label: "blue", description: "cold" },
    ],
  },
];

export const claude: RealAgent = {
  name: "claude",
  api: "anthropic",
  models: ["claude-sonnet-4-5", "claude-opus-4-5"],
  unknownModel: "bad-model",
  counted: { usage: { input: 200, output: 15 }, context: 215 },
  prepare: () => {},
  say: {
    question: `@call AskUserQuestion ${JSON.stringify({ questions })}`,
    // Bash commands wait for one another; reading outside the workspace is asked for all at once.
    two: '@call Read {"file_path":"/etc/hostname"} && Read {"file_path":"/etc/hosts"}',
    mcp: '@call mcp__fake__ping {"who":"bob"}',
  },
  gaps: {},
};
