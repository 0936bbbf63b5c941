import { group } from "../../lib/command/group.ts";

export default group({
  name: "k8s",
  summary: "Run agents on a Kubernetes cluster.",
  verbs: {
    install: { summary: "put the operator on a cluster", load: () => import("./k8s/install.ts") },
    upgrade: { summary: "bring the operator to this version", load: () => import("./k8s/upgrade.ts") },
    uninstall: { summary: "take it away again", load: () => import("./k8s/uninstall.ts") },
    run: { summary: "run an agent as a Task, live", load: () => import("./k8s/run.ts") },
    get: { summary: "list Tasks, Workspaces, AgentConfigs", load: () => import("./k8s/get.ts") },
    describe: { summary: "show all that is known of a Task", load: () => import("./k8s/describe.ts") },
    logs: { summary: "print what a Task's agent said and did", load: () => import("./k8s/logs.ts") },
    wait: { summary: "wait until Tasks have ended", load: () => import("./k8s/wait.ts") },
    cancel: { summary: "ask Tasks to stop, and keep what they had", load: () => import("./k8s/cancel.ts") },
    retry: { summary: "run a Task once more, as a new one", load: () => import("./k8s/retry.ts") },
    delete: { summary: "delete Tasks, Workspaces, AgentConfigs", load: () => import("./k8s/delete.ts") },
    create: { summary: "create a Workspace, an AgentConfig, a Secret", load: () => import("./k8s/create.ts") },
  },
  examples: [
    "cox k8s install",
    "cox k8s create secret coxswain-claude-code --type claude-code      the key comes from stdin",
    "cox k8s create workspace app --repo https://github.com/me/app.git",
    'cox k8s run --workspace app --branch fix-login "fix the login test"',
  ],
});
