import { taskStates } from "../../../contract/tasks/task.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { group } from "../../../lib/command/group.ts";
import { runSocket } from "../run-socket.ts";
import { envOption, promptOption, termOptions } from "../term-options.ts";
import type { Action, ActValues } from "./task/act.ts";
import type { CreateValues } from "./task/create.ts";

const MANY = Number.POSITIVE_INFINITY;
const project = { value: "NAME", help: "project; default: the git repository's name" } as const;
const json = { help: "print JSON" } as const;

const create = command({
  name: "task create",
  summary: "Make a task, to be started now or in its turn.",
  usage: "cox task create [options] PROMPT",
  options: {
    title: { value: "TEXT", help: "what the task is called; default: the first line of the prompt" },
    task: { value: "NAME", help: "its name; default: made of the time and the title" },
    project,
    cwd: { short: "C", value: "DIR", help: "the folder to work in; default: this one" },
    ...promptOption,
    ...termOptions,
    "depends-on": { value: "TASK", repeat: true, help: "starts when that task is done (repeatable)" },
    "on-failed": {
      value: "WHAT",
      choices: ["fail", "skip", "wait"],
      help: "when a dependency fails: fail (default), skip, or wait for it",
    },
    "same-checkout": { help: "the queue may start it beside another task in the same checkout" },
    priority: { value: "N", help: "in the queue, higher goes first (0)" },
    json,
  },
  examples: [
    'cox task create --task fix-login "Fix the login test"',
    'cox task create --depends-on fix-login "Document branch {{deps.fix-login.results.branch}}"',
    "cox task create --worktree --model opus --title Docs < prompt.md",
  ],
  async run({ values, positionals }, context) {
    const told = await insideRun("create", values, positionals, context);
    return told ?? (await import("./task/create.ts")).create(values, positionals, context);
  },
});

const ls = command({
  name: "task ls",
  summary: "List tasks, latest change first.",
  usage: "cox task ls [options]",
  words: [0, 0],
  options: {
    limit: { short: "n", value: "N", help: "how many (20)" },
    project,
    state: { value: "STATE", choices: taskStates, help: "only tasks in this state" },
    json,
  },
  examples: ["cox task ls --state review"],
  async run({ values, positionals }, context) {
    const told = await insideRun("ls", values, positionals, context);
    return told ?? (await import("./task/ls.ts")).ls(values, context);
  },
});

const show = command({
  name: "task show",
  summary: "Show a task: its state, what it waits for, its runs.",
  usage: "cox task show TASK [--json]",
  examples: ["cox task show fix-login"],
  words: [1, 1],
  options: { project, json },
  async run({ values, positionals }, context) {
    const told = await insideRun("show", values, positionals, context);
    return told ?? (await import("./task/show.ts")).show(values, positionals, context);
  },
});

const start = command({
  name: "task start",
  summary: "Start it now, on its own terms or on others for this run.",
  usage: "cox task start [options] TASK",
  words: [1, 1],
  options: { project, json, ...termOptions, ...envOption },
  examples: ["cox task start fix-login", "cox task start fix-login --agent codex --permissions allow"],
  run: ({ values, positionals }, context) => act("start", values, positionals, context),
});

const stop = command({
  name: "task stop",
  summary: "Stop its run; it can go on later.",
  usage: "cox task stop TASK",
  examples: ["cox task stop fix-login"],
  words: [1, 1],
  options: { project },
  run: ({ values, positionals }, context) => act("stop", values, positionals, context),
});

const resume = command({
  name: "task resume",
  summary: "Go on with its conversation.",
  usage: "cox task resume TASK [PROMPT]",
  examples: ['cox task resume fix-login "the build is green again; go on"'],
  words: [1, MANY],
  options: { project, json },
  run: ({ values, positionals }, context) => act("resume", values, positionals, context),
});

const done = command({
  name: "task done",
  summary: "Say that it is done.",
  usage: "cox task done TASK",
  examples: ["cox task done fix-login"],
  words: [1, 1],
  options: { project },
  run: ({ values, positionals }, context) => act("done", values, positionals, context),
});

const sendBack = command({
  name: "task send-back",
  summary: "Say what is still missing; the agent goes on.",
  usage: "cox task send-back TASK TEXT",
  words: [2, MANY],
  options: { project, json },
  examples: ['cox task send-back fix-login "the test is still red on Node 20"'],
  run: ({ values, positionals }, context) => act("send-back", values, positionals, context),
});

const cancel = command({
  name: "task cancel",
  summary: "Give it up; its runs are stopped and kept.",
  usage: "cox task cancel TASK",
  examples: ["cox task cancel fix-login"],
  words: [1, 1],
  options: { project },
  run: ({ values, positionals }, context) => act("cancel", values, positionals, context),
});

const remove = command({
  name: "task delete",
  summary: "Delete it, with its runs.",
  usage: "cox task delete [--force] TASK",
  examples: ["cox task delete fix-login"],
  words: [1, 1],
  options: { project, force: { help: "although somebody waits for it" } },
  run: ({ values, positionals }, context) => act("delete", values, positionals, context),
});

export default group({
  name: "task",
  summary: "What is to be done: tasks, their state and their runs.",
  verbs: { create, ls, show, start, stop, resume, done, "send-back": sendBack, cancel, delete: remove },
  examples: [
    'cox task create --task fix-login "Fix the login test"',
    "cox task start fix-login      now; or in turn: cox queue add fix-login",
    'cox task send-back fix-login "the test is still red on Node 20"',
  ],
});

/** Where an agent can't see the files of tasks, its host does what an agent may; `undefined` everywhere else. */
async function insideRun(
  verb: string,
  values: CreateValues,
  words: readonly string[],
  context: Context,
): Promise<number | undefined> {
  const socket = runSocket(context.env);
  if (socket === undefined) return undefined;
  return (await import("./task/through-socket.ts")).taskThroughSocket(socket, verb, values, words, context);
}

async function act(verb: Action, values: ActValues, words: readonly string[], context: Context): Promise<number> {
  const told = await insideRun(verb, values, words, context);
  return told ?? (await import("./task/act.ts")).act(verb, values, words, context);
}
