import type { RealAgent } from "../real-agent.ts";
import { claude } from "./claude.ts";

export const claudeAcp: RealAgent = {
  ...claude,
  name: "claude-acp",
  // It takes only the names of its own list.
  models: ["sonnet", "haiku"],
  gaps: {
    "the model is told why it was denied": { fact: "ACP has no field for a reason", fails: "not on my watch" },
  },
};
