import { AppError } from "../../contract/errors.ts";
import { listAgents } from "../agents/list.ts";
import { showAgent } from "../agents/show.ts";
import { tryAgent } from "../agents/trial.ts";
import { command, requirePositionals } from "../command.ts";

const spec = command({
  name: "agent",
  summary: "See which agents there are, and try one.",
  usage: "cox agent ls | show NAME | test NAME",
  options: {
    all: { help: "ls: also the disabled ones" },
    profile: { short: "p", value: "NAME", help: "show, test: as this profile would start it" },
    model: { short: "m", value: "MODEL", help: "show, test: with this model" },
    json: { help: "print JSON" },
  },
  examples: [
    "cox agent ls            which are installed, and what to do about the others",
    "cox agent show codex    how it is started, and where it was looked for",
    "cox agent test claude   one short prompt, as a real run",
  ],
  async run({ values, positionals }, context) {
    const [what = "ls", name = ""] = positionals;
    switch (what) {
      case "ls":
        requirePositionals(spec, positionals, 0, 1);
        return listAgents(values, context);
      case "show":
        requirePositionals(spec, positionals, 2);
        return showAgent(name, values, context);
      case "test":
        requirePositionals(spec, positionals, 2);
        return tryAgent(name, values, context);
      default:
        throw new AppError("usage.invalid", `cox agent ${what}: unknown; use ls, show or test`);
    }
  },
});
export default spec;
