import { resolve } from "node:path";
import { command } from "../../lib/command/command.ts";
import { group } from "../../lib/command/group.ts";
import { inPod, readSettings } from "../../terminal/supervisor/settings.ts";
import { setupHooks } from "../../terminal/supervisor/setup/hooks-step.ts";

const claude = command({
  name: "setup claude",
  summary: "Give claude the hooks by which it gets messages and is kept from stopping too early.",
  usage: "cox setup claude [--workspace DIR] [--role NAME] [--hooks DIR]",
  words: [0, 0],
  options: {
    workspace: { value: "DIR", help: "the folder whose .claude/settings.json gets them; default: this one" },
    role: { value: "NAME", help: "also the hooks of this role (BOAT_ROLE)" },
    hooks: { value: "DIR", help: "global.json and ROLE.json instead of the usual hooks (BOAT_HOOKS_DIR)" },
  },
  examples: ["cox setup claude", "cox setup claude --role reviewer --hooks ./hooks"],
  async run({ values }, { env, cwd, stdout }) {
    const workspace = resolve(cwd, values.workspace ?? ".");
    const given = {
      ...env,
      ...(values.role === undefined ? {} : { BOAT_ROLE: values.role }),
      ...(values.hooks === undefined ? {} : { BOAT_HOOKS_DIR: resolve(cwd, values.hooks) }),
    };
    const settings = readSettings({ workspace, command: "claude" }, given, inPod(env, workspace), ["cox"]);
    stdout.write(`${await setupHooks(settings)}\n`);
    return 0;
  },
});

export default group({
  name: "setup",
  summary: "Give an agent the hooks by which it gets messages and is kept from stopping too early.",
  verbs: { claude },
  examples: ["cox setup claude"],
});
