import type { RealAgent } from "../real-agent.ts";
import type { Stage } from "../stage.ts";

const questions = [
  {
    id: "colour",
    header: "Colour",
    question: "Which colour?",
    options: [
      { label: "red", description: "warm" },
      { label: "blue", description: "cold" },
    ],
  },
];

export const codex: RealAgent = {
  name: "codex",
  api: "openai",
  path: "/v1",
  models: ["gpt-5.5", "gpt-5.6-sol"],
  unknownModel: "bad-model",
  counted: { usage: { input: 150, output: 42 }, context: 192 },
  prepare: quiet,
  say: {
    question: `@call request_user_input ${JSON.stringify({ questions })}`,
    mcp: '@call mcp__fake::ping {"who":"bob"}',
  },
  gaps: {},
};

/** Else it looks for plugins on the network, and takes five seconds longer to end. */
export function quiet(stage: Stage): void {
  stage.write(
    ".codex/config.toml",
    "[features]\nplugins = false\ndefault_mode_request_user_input = true\n[analytics]\nenabled = false\n",
  );
}
