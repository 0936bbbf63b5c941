import type { RealAgent } from "../real-agent.ts";

const settings = {
  security: { auth: { selectedType: "gemini-api-key" } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 1 },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

const questions = [
  {
    question: "Which colour?",
    header: "Colour",
    type: "choice",
    options: [
      { label: "red", description: "warm" },
      { label: "blue", description: "cold" },
    ],
  },
];

export const gemini: RealAgent = {
  name: "gemini",
  api: "gemini",
  models: ["gemini-2.5-flash", "gemini-2.5-pro"],
  unknownModel: "bad-model",
  // Over ACP it leaves its thoughts out of both; how large the window is, its definition says.
  counted: { usage: { input: 150, output: 30 }, context: 180 },
  prepare(stage) {
    stage.write(".gemini/settings.json", settings);
    stage.write(".gemini/trustedFolders.json", { [stage.workspace]: "TRUST_FOLDER" });
  },
  say: {
    question: `@call ask_user ${JSON.stringify({ questions })}`,
    mcp: '@call mcp_fake_ping {"who":"bob"}',
  },
  gaps: {
    "tool call with its arguments": { fact: "its ACP messages carry no arguments", fails: "touch made.txt" },
    "the model is told why it was denied": { fact: "ACP has no field for a reason", fails: "not on my watch" },
    "two requests at once, answered out of order": {
      fact: "it runs one tool after the other",
      fails: "no permission_request within 10 s",
    },
    "a question answered": {
      fact: "its tool for questions is not offered over ACP",
      fails: "ended without question_request",
    },
  },
};
