import type { AgentDefinition } from "./definition.ts";
import { AgentDefinition as Schema } from "./definition.ts";

const demo = {
  id: "demo",
  name: "Coxswain demo agent",
  display_name: "Demo",
  description: "Ships with Coxswain: plans, reads, edits and asks, without a model, a network or an account.",
  cmd: ["{node}", "{package}/dist/demo.js"],
  protocol: "acp",
  capabilities: ["shell_execution"],
  session_config: { native_session_resume: true },
  model_config: {
    default_model: "demo-fast",
    available_models: [
      { id: "demo-fast", name: "Demo fast", provider: "coxswain", context_window: 100_000, is_default: true },
      { id: "demo-smart", name: "Demo smart", provider: "coxswain", context_window: 100_000 },
    ],
  },
};

/** The agents everybody has. */
export const builtinDefinitions = (): AgentDefinition[] => [demo].map((entry) => Schema.parse(entry));
