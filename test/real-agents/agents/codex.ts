import type { RealAgent } from "../real-agent.ts";
import type { Stage } from "../stage.ts";

export const codex: RealAgent = {
  name: "codex",
  package: "@openai/codex",
  api: "openai",
  path: "/v1",
  models: ["gpt-5.5", "gpt-5.4"],
  unknownModel: "bad-model",
  counted: { usage: { input: 150, output: 42 }, context: 192 },
  prepare: quiet,
  say: {
    mcp: '@call mcp__fake::ping {"who":"bob"}',
  },
  gaps: {},
};

/** Else it looks for plugins on the network, and takes five seconds longer to end. */
export function quiet(stage: Stage): void {
  stage.write(".codex/config.toml", "[features]\nplugins = false\n[analytics]\nenabled = false\n");
}
