import { AppError } from "../../../contract/errors.ts";
import { removeProfile } from "../../../core/agents/profiles/profile-files.ts";
import { homePath } from "../../../core/store/home.ts";
import { command, requirePositionals } from "../../../lib/command/command.ts";
import { changesOf } from "../profiles/changes.ts";
import { listProfiles } from "../profiles/list.ts";
import { setProfile } from "../profiles/set.ts";
import { showProfile } from "../profiles/show.ts";

const spec = command({
  name: "profile",
  summary: "Keep an agent with its model, keys and policy under one name.",
  usage: "cox profile ls | show NAME | set NAME [options] | rm NAME",
  options: {
    agent: { short: "a", value: "NAME", help: "set: the agent" },
    model: { short: "m", value: "MODEL", help: "set: the model" },
    "base-url": { value: "URL", help: "set: where the model is asked" },
    token: { value: "REF", help: "set: env:NAME, file:PATH, or - to read it from stdin and keep it" },
    env: { short: "e", value: "K=V", repeat: true, help: "set: a variable for the agent (repeatable)" },
    permissions: { value: "MODE", help: "set: ask, allow or deny" },
    switch: { value: "NAME=on|off", repeat: true, help: "set: a switch of the agent (see cox agent show)" },
    on: { value: "WHERE", help: "set: local, sandbox or container" },
    image: { value: "IMAGE", help: "set: the container's image, with its tag" },
    network: { value: "on|off", help: "set: whether the agent has one in a sandbox or container" },
    home: { value: "WHOSE", help: "set: own (your settings and login) or private" },
    tools: { value: "on|off", help: "set: whether the agent gets the run's own tools (on)" },
    unset: { value: "KEY", repeat: true, help: "set: remove a key of the profile" },
    json: { help: "ls, show: print JSON" },
  },
  examples: [
    "cox profile set work --agent claude --model opus --token env:WORK_KEY",
    "cox profile set grok --agent xai --token -         then paste the key and press Ctrl-D",
    'cox run --profile work "fix the login test"',
  ],
  async run({ values, positionals }, context) {
    const [what = "ls", name = ""] = positionals;
    const home = homePath(context.env);
    switch (what) {
      case "ls":
        requirePositionals(spec, positionals, 0, 1);
        return listProfiles(home, values, context);
      case "show":
        requirePositionals(spec, positionals, 2);
        return showProfile(home, name, values, context);
      case "set":
        requirePositionals(spec, positionals, 2);
        return setProfile(home, name, await changesOf(values, context), context);
      case "rm":
        requirePositionals(spec, positionals, 2);
        removeProfile(home, name);
        return 0;
      default:
        throw new AppError("usage.invalid", `cox profile ${what}: unknown; use ls, show, set or rm`);
    }
  },
});
export default spec;
