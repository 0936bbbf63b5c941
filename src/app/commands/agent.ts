import { listAgents } from "../../faces/cli/agents/list.ts";
import { showAgent } from "../../faces/cli/agents/show.ts";
import { tryAgent } from "../../faces/cli/agents/trial.ts";
import { command } from "../../lib/command/command.ts";
import { group } from "../../lib/command/group.ts";
import { startOptions, workspace } from "./agent/options.ts";

const profile = { short: "p", value: "NAME", help: "as this profile would start it" } as const;
const model = { short: "m", value: "MODEL", help: "with this model" } as const;
const json = { help: "print JSON" } as const;

const ls = command({
  name: "agent ls",
  summary: "List agents: which are installed, and what to do about the others.",
  usage: "cox agent ls [--all] [--json]",
  examples: ["cox agent ls --all"],
  words: [0, 0],
  options: { all: { help: "also the disabled ones" }, json },
  run: ({ values }, context) => listAgents(values, context),
});

const show = command({
  name: "agent show",
  summary: "Show how one is started, and where it was looked for.",
  usage: "cox agent show NAME [options]",
  examples: ["cox agent show codex --profile work"],
  words: [1, 1],
  options: { profile, model, json },
  run: ({ values, positionals: [name = ""] }, context) => showAgent(name, values, context),
});

const test = command({
  name: "agent test",
  summary: "Try one: a short prompt, as a real run.",
  usage: "cox agent test NAME [options]",
  examples: ["cox agent test claude"],
  words: [1, 1],
  options: { profile, model, json },
  run: ({ values, positionals: [name = ""] }, context) => tryAgent(name, values, context),
});

const start = command({
  name: "agent start",
  summary: "Keep one running: in a pod, a folder of this machine, or a container.",
  usage: "cox agent start --k8s|--local|--docker [options]",
  words: [0, 0],
  options: { ...startOptions, json },
  examples: ["cox agent start --local --detach    in this folder; cox agent stop ends it"],
  run: async ({ values }, context) => (await import("./agent/start.ts")).startAgent(values, context),
});

const stop = command({
  name: "agent stop",
  summary: "End the one that was started with --local in a folder.",
  usage: "cox agent stop [--workspace DIR]",
  examples: ["cox agent stop --workspace ~/work/shop"],
  words: [0, 0],
  options: { workspace },
  run: async ({ values }, context) => (await import("./agent/stop-local.ts")).stopLocally(values.workspace, context),
});

export default group({
  name: "agent",
  summary: "See which agents there are, try one, or keep one running.",
  verbs: { ls, show, test, start, stop },
  otherwise: "ls",
  examples: [
    "cox agent ls            which are installed, and what to do about the others",
    "cox agent show codex    how it is started, and where it was looked for",
    "cox agent test claude   one short prompt, as a real run",
  ],
});
