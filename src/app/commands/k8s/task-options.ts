import type { TaskWishes } from "../../../cluster/tasks/task-spec.ts";
import { AppError } from "../../../contract/errors.ts";
import { bundledAgentTypes } from "../../../contract/resources/agent-types.ts";
import type { OptionSpec } from "../../../lib/command/command.ts";
import { parseDuration } from "../../../lib/command/duration.ts";

/** How a Task is described on the command line. */
export const taskOptions = {
  type: { short: "t", value: "TYPE", help: `the agent: ${bundledAgentTypes.join(", ")} (claude-code)` },
  model: { short: "m", value: "MODEL", help: "which model" },
  effort: { value: "WORD", help: "how hard it should think, in the agent's words" },
  image: { value: "IMAGE", help: "in place of the operator's image for the type" },
  secret: { value: "NAME", help: "Secret with the agent's key (coxswain-TYPE; none: no key)" },
  workspace: { short: "w", value: "NAME", help: "Workspace to work in" },
  branch: { value: "NAME", help: "branch to work on; Tasks on one branch take turns" },
  "agent-config": { value: "NAME", repeat: true, help: "AgentConfig with instructions, plugins, MCP (repeatable)" },
  "depends-on": { value: "TASK", repeat: true, help: "Task that must have succeeded before (repeatable)" },
  timeout: { value: "TIME", help: "how long one attempt may take (90, 90s, 30m, 2h)" },
  attempts: { value: "N", help: "how often it is started at most, where that is safe (1)" },
  ttl: { value: "TIME", help: "how long the Task is kept after its end (for ever)" },
  env: { short: "e", value: "K=V", repeat: true, help: "set a variable for the agent (repeatable)" },
  name: { value: "NAME", help: "name of the Task; default: from the prompt" },
} as const satisfies Record<string, OptionSpec>;

type TaskValues = {
  [K in keyof typeof taskOptions]?: (typeof taskOptions)[K] extends { repeat: true } ? string[] : string;
};

export function wishesIn(values: TaskValues): TaskWishes {
  const { type, model, effort, image, workspace, branch, name, attempts } = values;
  return {
    ...{ type, model, effort, image, workspace, branch, name },
    agentConfigs: values["agent-config"],
    dependsOn: values["depends-on"],
    timeoutMs: ms("timeout", values.timeout),
    ttlMs: ms("ttl", values.ttl),
    attempts: attempts === undefined ? undefined : whole("attempts", attempts),
    env: values.env?.map(variable),
  };
}

const ms = (name: string, text: string | undefined) =>
  text === undefined ? undefined : text === "0" ? 0 : parseDuration(`--${name}`, text);

function whole(name: string, text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new AppError("usage.invalid", `--${name} ${JSON.stringify(text)}: not a number`);
}

function variable(pair: string): { name: string; value: string } {
  const at = pair.indexOf("=");
  if (at > 0) return { name: pair.slice(0, at), value: pair.slice(at + 1) };
  throw new AppError("usage.invalid", `--env ${JSON.stringify(pair.slice(0, 40))}: use NAME=VALUE`);
}
