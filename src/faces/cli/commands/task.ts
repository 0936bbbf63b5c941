import { type Context, command } from "../../../lib/command/command.ts";
import { chooseVerb, type Verb } from "../../../lib/command/verbs.ts";
import { runSocket } from "../run-socket.ts";

const options = {
  title: { value: "TEXT", help: "what the task is called; default: the first line of the prompt" },
  task: { value: "NAME", help: "its name; default: made of the time and the title" },
  project: { value: "NAME", help: "project; default: the git repository's name" },
  agent: { short: "a", value: "NAME", help: "which agent; default: chosen when it starts" },
  profile: { short: "p", value: "NAME", help: "agent, model, keys and policy under one name" },
  cwd: { short: "C", value: "DIR", help: "the folder to work in; default: this one" },
  "depends-on": { value: "TASK", repeat: true, help: "starts when that task is done (repeatable)" },
  "on-failed": { value: "WHAT", help: "when a dependency fails: fail (default), skip, or wait for it" },
  review: { help: "a person looks at it before it is done" },
  "no-review": { help: "a completed run is done, a failed one failed (default)" },
  priority: { value: "N", help: "in the queue, higher goes first (0)" },
  timeout: { value: "TIME", help: "end its runs after this long" },
  "idle-timeout": { value: "TIME", help: "end its runs when the agent is silent this long" },
  state: { value: "STATE", help: "only tasks in this state" },
  force: { help: "delete it although somebody waits for it" },
  json: { help: "print JSON" },
} as const;

type Option = keyof typeof options;
const MANY = Number.POSITIVE_INFINITY;
const one: readonly [number, number] = [1, 1];

const verbs = {
  create: {
    usage: "cox task create [options] PROMPT",
    words: [0, MANY],
    options: [
      "title",
      "task",
      "project",
      "agent",
      "profile",
      "cwd",
      "depends-on",
      "on-failed",
      "review",
      "no-review",
      "priority",
      "timeout",
      "idle-timeout",
      "json",
    ],
  },
  ls: {
    usage: "cox task ls [--project NAME] [--state STATE] [--json]",
    words: [0, 0],
    options: ["project", "state", "json"],
  },
  show: { usage: "cox task show TASK [--json]", words: one, options: ["project", "json"] },
  start: { usage: "cox task start TASK", words: one, options: ["project", "json"] },
  stop: { usage: "cox task stop TASK", words: one, options: ["project"] },
  resume: { usage: "cox task resume TASK [PROMPT]", words: [1, MANY], options: ["project", "json"] },
  done: { usage: "cox task done TASK", words: one, options: ["project"] },
  "send-back": { usage: "cox task send-back TASK TEXT", words: [2, MANY], options: ["project", "json"] },
  cancel: { usage: "cox task cancel TASK", words: one, options: ["project"] },
  delete: { usage: "cox task delete [--force] TASK", words: one, options: ["project", "force"] },
} as const satisfies Record<string, Verb<Option>>;

export default command({
  name: "task",
  summary: "What is to be done: tasks, their state and their runs.",
  usage: `cox task ${Object.keys(verbs).join("|")} [options]`,
  options,
  examples: [
    'cox task create --task fix-login "Fix the login test"',
    'cox task create --depends-on fix-login "Document branch {{deps.fix-login.results.branch}}"',
    "cox task start fix-login      now; or in turn: cox queue add fix-login",
    'cox task send-back fix-login "the test is still red on Node 20"',
    "cox task ls --state review",
  ],
  async run({ values, positionals }, context: Context) {
    const { verb, words } = chooseVerb("task", verbs, { values, positionals });
    const socket = runSocket(context.env);
    if (socket !== undefined) {
      return (await import("./task/through-socket.ts")).taskThroughSocket(socket, verb, values, words, context);
    }
    switch (verb) {
      case "create":
        return (await import("./task/create.ts")).create(values, words, context);
      case "ls":
        return (await import("./task/ls.ts")).ls(values, context);
      case "show":
        return (await import("./task/show.ts")).show(values, words, context);
      default:
        return (await import("./task/act.ts")).act(verb, values, words, context);
    }
  },
});
