import { group } from "../../../lib/command/group.ts";

export default group({
  name: "k8s create",
  summary: "Create a Workspace, an AgentConfig or a Secret.",
  verbs: {
    workspace: { summary: "a repository that agents work in", load: () => import("./create-workspace.ts") },
    agentconfig: {
      summary: "instructions, skills, sub-agents and MCP servers",
      load: () => import("./create-agentconfig.ts"),
    },
    secret: { summary: "an agent's key, from stdin", load: () => import("./create-secret.ts") },
  },
  examples: ["cox k8s create workspace app --repo https://github.com/me/app.git"],
});
