import type { RealAgent } from "../real-agent.ts";

const settings = {
  security: { auth: { selectedType: "gemini-api-key" } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 1 },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

export const gemini: RealAgent = {
  name: "gemini",
  package: "@google/gemini-cli",
  api: "gemini",
  models: ["gemini-2.5-flash", "gemini-2.5-pro"],
  unknownModel: "bad-model",
  counted: { usage: { input: 150, output: 30 }, context: 192 },
  prepare(stage) {
    stage.write(".gemini/settings.json", settings);
    stage.write(".gemini/trustedFolders.json", { [stage.workspace]: "TRUST_FOLDER" });
  },
  say: {
    mcp: '@call mcp_fake_ping {"who":"bob"}',
  },
  gaps: {},
};
