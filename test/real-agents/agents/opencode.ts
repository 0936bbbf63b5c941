import type { RealAgent } from "../real-agent.ts";

const limit = { context: 100_000, output: 8000 };
const models = Object.fromEntries(["fake-1", "fake-2", "bad-model"].map((id) => [id, { reasoning: true, limit }]));

export const opencode: RealAgent = {
  name: "opencode",
  package: "opencode-linux-x64",
  api: "openai",
  path: "/v1",
  models: ["local/fake-1", "local/fake-2"],
  unknownModel: "local/bad-model",
  // What it has in its window is what it sent.
  counted: { usage: { input: 150, output: 42 }, context: 150 },
  env: {
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  },
  prepare(stage) {
    stage.write(".config/opencode/opencode.json", {
      share: "disabled",
      enabled_providers: ["local"],
      provider: { local: { npm: "@ai-sdk/openai-compatible", models } },
    });
  },
  say: {
    mcp: '@call fake_ping {"who":"bob"}',
  },
  gaps: {},
};
