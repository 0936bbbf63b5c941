import { join } from "node:path";
import { mcpConfigOf } from "../../../core/protocols/claude/arguments.ts";
import type { AgentPlan, PlanContext } from "./plan.ts";
import type { ContainerTask } from "./task.ts";

export function planClaude(task: ContainerTask, { home, own, env }: PlanContext): AgentPlan {
  const folder = env.CLAUDE_CONFIG_DIR || join(home, ".claude");
  const servers = mcpConfigOf(task.mcpServers);
  const mcpFile = join(own, "mcp.json");
  return {
    program: "claude",
    args: [
      "-p",
      "--dangerously-skip-permissions",
      ...["--output-format", "stream-json", "--verbose"],
      ...(task.model === undefined ? [] : ["--model", task.model]),
      ...(task.effort === undefined ? [] : ["--effort", task.effort]),
      ...task.plugins.flatMap(({ path }) => ["--plugin-dir", path]),
      ...(servers === undefined ? [] : ["--mcp-config", mcpFile]),
    ],
    env: {
      // The container is the fence; without this it refuses to work for root without asking.
      IS_SANDBOX: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
    files: servers === undefined ? [] : [{ path: mcpFile, content: servers }],
    sections: [{ path: join(folder, "CLAUDE.md"), content: task.instructions ?? "" }],
    copies: [],
    // To SIGTERM it says nothing; to SIGINT what it has done and what that cost.
    stopSignal: "SIGINT",
  };
}
