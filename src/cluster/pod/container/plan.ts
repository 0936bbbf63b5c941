import { AppError } from "../../../contract/errors.ts";
import { planClaude } from "./claude.ts";
import { planCodex } from "./codex.ts";
import { planGemini } from "./gemini.ts";
import { planOpencode } from "./opencode.ts";
import type { ContainerTask } from "./task.ts";

/** How one agent is told what the Task says: a value, so a table can test it. The prompt always goes to its stdin. */
export interface AgentPlan {
  program: string;
  args: readonly string[];
  /** Set where the container has no such variable: whoever made the pod knows better. */
  env: Readonly<Record<string, string>>;
  /** Ours alone, written anew for every Task. */
  files: readonly { path: string; content: string }[];
  /** Files in which a part is ours and the rest the image's. */
  sections: readonly { path: string; content: string }[];
  /** JSON files of which some settings are ours and the rest the image's. */
  settings?: readonly { path: string; values: object }[];
  /** Folders and files that are copied, following links. */
  copies: readonly { from: string; to: string }[];
  /** What makes it stop and still say what it had. */
  stopSignal: "SIGTERM" | "SIGINT";
}

export interface PlanContext {
  home: string;
  /** A folder of ours in it. */
  own: string;
  env: NodeJS.ProcessEnv;
}

const plans: Readonly<Record<string, (task: ContainerTask, context: PlanContext) => AgentPlan>> = {
  "claude-code": planClaude,
  codex: planCodex,
  gemini: planGemini,
  opencode: planOpencode,
};

export function planAgent(task: ContainerTask, context: PlanContext): AgentPlan {
  const plan = Object.hasOwn(plans, task.type) ? plans[task.type] : undefined;
  if (plan !== undefined) return plan(task, context);
  const known = Object.keys(plans).join(", ");
  throw new AppError("agent.unknown", `KELOS_AGENT_TYPE ${JSON.stringify(task.type)}: unknown; known are ${known}`);
}
