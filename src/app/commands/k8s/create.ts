import { AppError } from "../../../contract/errors.ts";
import { type CommandSpec, command, helpOf, runCommand } from "../../../lib/command/command.ts";

const kinds: Readonly<Record<string, { summary: string; load: () => Promise<{ default: CommandSpec }> }>> = {
  workspace: { summary: "a repository that agents work in", load: () => import("./create-workspace.ts") },
  agentconfig: {
    summary: "instructions, skills, sub-agents and MCP servers",
    load: () => import("./create-agentconfig.ts"),
  },
  secret: { summary: "an agent's key, from stdin", load: () => import("./create-secret.ts") },
};
const list = Object.entries(kinds).map(([name, { summary }]) => `  ${name.padEnd(13)}${summary}`);

const spec = command({
  name: "k8s create",
  summary: `Create one of:\n\n${list.join("\n")}\n\nHelp on one of them: cox k8s create KIND --help`,
  usage: "cox k8s create KIND NAME [options]",
  options: {},
  raw: true,
  async run({ positionals: [name, ...rest] }, context) {
    if (name === undefined || name === "--help" || name === "-h") {
      context.stdout.write(helpOf(spec));
      return 0;
    }
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind !== undefined) return runCommand((await kind.load()).default, rest, context);
    throw new AppError("usage.invalid", `cox k8s create ${name}: unknown; say ${Object.keys(kinds).join(", ")}`);
  },
});
export default spec;
