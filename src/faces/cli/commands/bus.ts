import { messageTypes } from "../../../contract/bus.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { chooseVerb, type Verb } from "../../../lib/command/verbs.ts";
import { runSocket } from "../run-socket.ts";

const options = {
  project: { value: "NAME", help: "project; inside a run its own, else the git repository's name" },
  task: { value: "NAME", help: "the task's bus; inside a run its own, else the project's bus" },
  type: { value: "TYPE", help: `${messageTypes.slice(4).join(", ")}, or any of your own (INFO)` },
  body: { value: "TEXT", help: "the message; - reads it from stdin" },
  parent: { value: "ID", repeat: true, help: "a message this one answers or follows (repeatable)" },
  link: { value: "URL", repeat: true, help: "an address that belongs to it (repeatable)" },
  durable: { help: "also safe from power loss when the command returns" },
  since: { value: "CURSOR", help: "only what came after this cursor; 0 is the beginning" },
  limit: { short: "n", value: "N", help: "at most N: the last ones, or with --since the first after it" },
  timeout: { value: "TIME", help: "give up waiting for an answer after this long (exit code 124)" },
  json: { help: "print JSON, with large messages whole" },
} as const;

type Option = keyof typeof options;
const MANY = Number.POSITIVE_INFINITY;
const place = ["project", "task"] as const;

const verbs = {
  post: {
    usage: "cox bus post [--type TYPE] TEXT",
    words: [0, MANY],
    options: [...place, "type", "body", "parent", "link", "durable"],
  },
  read: {
    usage: "cox bus read [--since CURSOR] [--limit N] [--type TYPE] [--json]",
    words: [0, 0],
    options: [...place, "since", "limit", "type", "json"],
  },
  follow: {
    usage: "cox bus follow [--since CURSOR] [--type TYPE] [--json]",
    words: [0, 0],
    options: [...place, "since", "type", "json"],
  },
  ask: {
    usage: "cox bus ask [--timeout TIME] QUESTION",
    words: [1, MANY],
    options: [...place, "timeout", "parent", "link", "durable"],
  },
  answer: {
    usage: "cox bus answer ID TEXT",
    words: [2, MANY],
    options: [...place, "link", "durable"],
  },
} as const satisfies Record<string, Verb<Option>>;

export default command({
  name: "bus",
  summary: "Messages between agents and people, per task and per project.",
  usage: "cox bus post|read|follow|ask|answer [options]",
  options,
  examples: [
    'cox bus post --type PROGRESS "tests pass, docs next"     inside a run, on its task\'s bus',
    "git diff | cox bus post --project web --task fix-login    the body from stdin",
    "cox bus read --project web --task fix-login --limit 20",
    'cox bus ask --timeout 10m "Deploy now?" && ./deploy       waits for: cox bus answer ID yes',
  ],
  async run({ values, positionals }, context: Context) {
    const { verb, words } = chooseVerb("bus", verbs, { values, positionals });
    const socket = runSocket(context.env);
    if (socket !== undefined) {
      return (await import("./bus/through-socket.ts")).busThroughSocket(socket, verb, values, words, context);
    }
    // Each loads only what it needs: an agent posts often, and pays for the start of the program each time.
    switch (verb) {
      case "post":
        return (await import("./bus/post.ts")).post(values, words, context);
      case "read":
        return (await import("./bus/read.ts")).read(values, context);
      case "follow":
        return (await import("./bus/follow.ts")).followUntilInterrupted(values, context);
      case "ask":
        return (await import("./bus/ask.ts")).ask(values, words, context);
      case "answer":
        return (await import("./bus/ask.ts")).answer(values, words, context);
    }
  },
});
