import { AppError } from "../../contract/errors.ts";
import { type CommandSpec, command, helpOf, runCommand } from "../../lib/command/command.ts";

const verbs: Readonly<Record<string, { summary: string; load: () => Promise<{ default: CommandSpec }> }>> = {
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
};

const list = Object.entries(verbs).map(([name, { summary }]) => `  ${name.padEnd(11)}${summary}`);

const spec = command({
  name: "k8s",
  summary: `Run agents on a Kubernetes cluster.\n\n${list.join("\n")}\n\nHelp on one of them: cox k8s VERB --help`,
  usage: "cox k8s VERB [options]",
  options: {},
  examples: [
    "cox k8s install",
    "cox k8s create secret coxswain-claude-code --type claude-code      the key comes from stdin",
    "cox k8s create workspace app --repo https://github.com/me/app.git",
    'cox k8s run --workspace app --branch fix-login "fix the login test"',
  ],
  raw: true, // its verbs have options of their own
  async run({ positionals: [name, ...rest] }, context) {
    if (name === undefined || name === "--help" || name === "-h" || name === "help") {
      context.stdout.write(helpOf(spec));
      return 0;
    }
    const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
    if (verb !== undefined) return runCommand((await verb.load()).default, rest, context);
    throw new AppError("usage.invalid", `cox k8s ${name}: unknown; say ${Object.keys(verbs).join(", ")}`);
  },
});
export default spec;
