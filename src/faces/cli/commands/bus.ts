import { messageTypes } from "../../../contract/bus.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { group } from "../../../lib/command/group.ts";
import { runSocket } from "../run-socket.ts";
import type { BusValues, BusVerb } from "./bus/through-socket.ts";

const MANY = Number.POSITIVE_INFINITY;
const place = {
  project: { value: "NAME", help: "project; inside a run its own, else the git repository's name" },
  task: { value: "NAME", help: "the task's bus; inside a run its own, else the project's bus" },
} as const;
const type = { value: "TYPE", help: `${messageTypes.slice(4).join(", ")}, or any of your own (INFO)` } as const;
const parent = { value: "ID", repeat: true, help: "a message this one answers or follows (repeatable)" } as const;
const link = { value: "URL", repeat: true, help: "an address that belongs to it (repeatable)" } as const;
const durable = { help: "also safe from power loss when the command returns" } as const;
const since = { value: "CURSOR", help: "only what came after this cursor; 0 is the beginning" } as const;
const json = { help: "print JSON, with large messages whole" } as const;

// Each loads only what it needs: an agent posts often, and pays for the start of the program each time.
const post = command({
  name: "bus post",
  summary: "Post a message.",
  usage: "cox bus post [--type TYPE] TEXT",
  options: {
    ...place,
    type,
    body: { value: "TEXT", help: "the message; - reads it from stdin" },
    parent,
    link,
    durable,
  },
  examples: [
    'cox bus post --type PROGRESS "tests pass, docs next"     inside a run, on its task\'s bus',
    "git diff | cox bus post --project web --task fix-login    the body from stdin",
  ],
  async run({ values, positionals }, context) {
    const told = await insideRun("post", values, positionals, context);
    return told ?? (await import("./bus/post.ts")).post(values, positionals, context);
  },
});

const read = command({
  name: "bus read",
  summary: "Read messages.",
  usage: "cox bus read [--since CURSOR] [--limit N] [--type TYPE] [--json]",
  words: [0, 0],
  options: {
    ...place,
    since,
    limit: { short: "n", value: "N", help: "at most N: the last ones, or with --since the first after it" },
    type,
    json,
  },
  examples: ["cox bus read --project web --task fix-login --limit 20"],
  async run({ values, positionals }, context) {
    const told = await insideRun("read", values, positionals, context);
    return told ?? (await import("./bus/read.ts")).read(values, context);
  },
});

const follow = command({
  name: "bus follow",
  summary: "Print messages as they come, until Ctrl-C.",
  usage: "cox bus follow [--since CURSOR] [--type TYPE] [--json]",
  examples: ["cox bus follow --type QUESTION"],
  words: [0, 0],
  options: { ...place, since, type, json },
  async run({ values, positionals }, context) {
    const told = await insideRun("follow", values, positionals, context);
    return told ?? (await import("./bus/follow.ts")).followUntilInterrupted(values, context);
  },
});

const ask = command({
  name: "bus ask",
  summary: "Ask, and wait for the answer.",
  usage: "cox bus ask [--timeout TIME] QUESTION",
  words: [1, MANY],
  options: {
    ...place,
    timeout: { value: "TIME", help: "give up waiting for an answer after this long (exit code 124)" },
    parent,
    link,
    durable,
  },
  examples: ['cox bus ask --timeout 10m "Deploy now?" && ./deploy       waits for: cox bus answer ID yes'],
  async run({ values, positionals }, context) {
    const told = await insideRun("ask", values, positionals, context);
    return told ?? (await import("./bus/ask.ts")).ask(values, positionals, context);
  },
});

const answer = command({
  name: "bus answer",
  summary: "Answer what somebody asked there.",
  usage: "cox bus answer ID TEXT",
  examples: ['cox bus answer ID "yes, deploy"'],
  words: [2, MANY],
  options: { ...place, link, durable },
  async run({ values, positionals }, context) {
    const told = await insideRun("answer", values, positionals, context);
    return told ?? (await import("./bus/ask.ts")).answer(values, positionals, context);
  },
});

export default group({
  name: "bus",
  summary: "Messages between agents and people, per task and per project.",
  verbs: { post, read, follow, ask, answer },
  examples: [
    'cox bus post --type PROGRESS "tests pass, docs next"     inside a run, on its task\'s bus',
    "cox bus read --project web --task fix-login --limit 20",
    'cox bus ask --timeout 10m "Deploy now?" && ./deploy       waits for: cox bus answer ID yes',
  ],
});

/** Where an agent can't see the file of the bus, its host reads and writes it; `undefined` everywhere else. */
async function insideRun(
  verb: BusVerb,
  values: BusValues,
  words: readonly string[],
  context: Context,
): Promise<number | undefined> {
  const socket = runSocket(context.env);
  if (socket === undefined) return undefined;
  return (await import("./bus/through-socket.ts")).busThroughSocket(socket, verb, values, words, context);
}
