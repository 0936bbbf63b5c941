import { permissionModes } from "../../../contract/requests/policy.ts";
import { executorNames } from "../../../contract/runs/run.ts";
import { removeProfile } from "../../../core/agents/profiles/profile-files.ts";
import { homePath } from "../../../core/store/home.ts";
import { command } from "../../../lib/command/command.ts";
import { group } from "../../../lib/command/group.ts";
import { changesOf } from "../profiles/changes.ts";
import { listProfiles } from "../profiles/list.ts";
import { setProfile } from "../profiles/set.ts";
import { showProfile } from "../profiles/show.ts";

const json = { help: "print JSON" } as const;

const ls = command({
  name: "profile ls",
  summary: "List profiles.",
  usage: "cox profile ls [--json]",
  examples: ["cox profile ls"],
  words: [0, 0],
  options: { json },
  run: ({ values }, context) => listProfiles(homePath(context.env), values, context),
});

const show = command({
  name: "profile show",
  summary: "Show one, without its keys.",
  usage: "cox profile show NAME [--json]",
  examples: ["cox profile show work"],
  words: [1, 1],
  options: { json },
  run: ({ values, positionals: [name = ""] }, context) => showProfile(homePath(context.env), name, values, context),
});

const set = command({
  name: "profile set",
  summary: "Make one, or change what is named of it.",
  usage: "cox profile set NAME [options]",
  words: [1, 1],
  options: {
    agent: { short: "a", value: "NAME", help: "the agent" },
    model: { short: "m", value: "MODEL", help: "the model" },
    "base-url": { value: "URL", help: "where the model is asked" },
    token: { value: "REF", help: "env:NAME, file:PATH, or - to read it from stdin and keep it" },
    env: { short: "e", value: "K=V", repeat: true, help: "a variable for the agent (repeatable)" },
    permissions: { value: "MODE", choices: permissionModes, help: "ask, allow or deny" },
    switch: { value: "NAME=on|off", repeat: true, help: "a switch of the agent (see cox agent show)" },
    on: { value: "WHERE", choices: executorNames, help: "local, sandbox or container" },
    image: { value: "IMAGE", help: "the container's image, with its tag" },
    network: { value: "on|off", help: "whether the agent has one in a sandbox or container" },
    home: { value: "WHOSE", choices: ["own", "private"], help: "own (your settings and login) or private" },
    tools: { value: "on|off", help: "whether the agent gets the run's own tools (on)" },
    unset: { value: "KEY", repeat: true, help: "remove a key of the profile" },
  },
  examples: [
    "cox profile set work --agent claude --model opus --token env:WORK_KEY",
    "cox profile set grok --agent xai --token -         then paste the key and press Ctrl-D",
  ],
  run: async ({ values, positionals: [name = ""] }, context) =>
    setProfile(homePath(context.env), name, await changesOf(values, context), context),
});

const rm = command({
  name: "profile rm",
  summary: "Remove one.",
  usage: "cox profile rm NAME",
  examples: ["cox profile rm work"],
  words: [1, 1],
  options: {},
  run({ positionals: [name = ""] }, { env }) {
    removeProfile(homePath(env), name);
    return 0;
  },
});

export default group({
  name: "profile",
  summary: "Keep an agent with its model, keys and policy under one name.",
  verbs: { ls, show, set, rm },
  otherwise: "ls",
  examples: [
    "cox profile set work --agent claude --model opus --token env:WORK_KEY",
    'cox run --profile work "fix the login test"',
  ],
});
