import type { RealAgent } from "../real-agent.ts";

const limit = { context: 100_000, output: 8000 };
const models = Object.fromEntries(["fake-1", "fake-2", "bad-model"].map((id) => [id, { reasoning: true, limit }]));

const questions = [
  {
    question: "Which colour?",
    header: "Colour",
    options: [
      { label: "red", description: "warm" },
      { label: "blue", description: "cold" },
    ],
  },
];

export const opencode: RealAgent = {
  name: "opencode",
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
    // Its other tool for files, write, doesn't say what it changed.
    edit: (file) => `@call edit ${JSON.stringify({ filePath: file, oldString: "", newString: "hi\n" })}`,
    question: `@call question ${JSON.stringify({ questions })}`,
    mcp: '@call fake_ping {"who":"bob"}',
  },
  gaps: {
    "the model is told why it was denied": { fact: "ACP has no field for a reason", fails: "not on my watch" },
    "two requests at once, answered out of order": {
      fact: "it asks one thing after the other",
      fails: "no permission_request within 10 s",
    },
    "a question answered": {
      fact: "its tool for questions is not offered over ACP",
      fails: "ended without question_request",
    },
    "HTTP 500": {
      fact: "it tries again for ever and doesn't say so: the end of our patience is all that is seen",
      fails: "ended without error",
    },
  },
};
