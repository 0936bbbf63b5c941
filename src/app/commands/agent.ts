import { listAgents } from "../../faces/cli/agents/list.ts";
import { showAgent } from "../../faces/cli/agents/show.ts";
import { tryAgent } from "../../faces/cli/agents/trial.ts";
import { command } from "../../lib/command/command.ts";
import { chooseVerb, type Verb } from "../../lib/command/verbs.ts";
import { startOptions } from "./agent/options.ts";

const options = {
  all: { help: "ls: also the disabled ones" },
  profile: { short: "p", value: "NAME", help: "show, test: as this profile would start it" },
  model: { short: "m", value: "MODEL", help: "show, test: with this model" },
  json: { help: "print JSON" },
  ...startOptions,
} as const;

type Option = keyof typeof options;
const startNames = Object.keys(startOptions) as (keyof typeof startOptions)[];

const verbs = {
  ls: { usage: "cox agent ls [--all] [--json]", words: [0, 0], options: ["all", "json"] },
  show: { usage: "cox agent show NAME", words: [1, 1], options: ["profile", "model", "json"] },
  test: { usage: "cox agent test NAME", words: [1, 1], options: ["profile", "model", "json"] },
  start: { usage: "cox agent start --k8s|--local|--docker [options]", words: [0, 0], options: [...startNames, "json"] },
  stop: { usage: "cox agent stop [--workspace DIR]", words: [0, 0], options: ["workspace"] },
} as const satisfies Record<string, Verb<Option>>;

export default command({
  name: "agent",
  summary: "See which agents there are, try one, or keep one running.",
  usage: "cox agent ls | show NAME | test NAME | start --k8s|--local|--docker | stop",
  options,
  examples: [
    "cox agent ls            which are installed, and what to do about the others",
    "cox agent show codex    how it is started, and where it was looked for",
    "cox agent test claude   one short prompt, as a real run",
    "cox agent start --local --detach    an agent that stays, in this folder; cox agent stop ends it",
  ],
  async run({ values, positionals }, context) {
    const given = positionals.length === 0 ? ["ls"] : positionals;
    const { verb, words } = chooseVerb("agent", verbs, { values, positionals: given });
    const [name = ""] = words;
    switch (verb) {
      case "ls":
        return listAgents(values, context);
      case "show":
        return showAgent(name, values, context);
      case "test":
        return tryAgent(name, values, context);
      case "start":
        return (await import("./agent/start.ts")).startAgent(values, context);
      case "stop":
        return (await import("./agent/stop-local.ts")).stopLocally(values.workspace, context);
    }
  },
});
