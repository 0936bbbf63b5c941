import { command } from "../../../lib/command/command.ts";
import { group } from "../../../lib/command/group.ts";

const MANY = Number.POSITIVE_INFINITY;
const project = { value: "NAME", help: "the task's project, where its name alone is not unique" } as const;
const json = { help: "print JSON lines" } as const;

const ls = command({
  name: "queue ls",
  summary: "List what waits, in its order.",
  usage: "cox queue ls [--json]",
  examples: ["cox queue ls"],
  words: [0, 0],
  options: { json },
  run: async ({ values }, context) => (await import("./queue/line.ts")).ls(values, context),
});

const add = command({
  name: "queue add",
  summary: "Put tasks in.",
  usage: "cox queue add TASK...",
  words: [1, MANY],
  options: { project, json },
  examples: ["cox queue add fix-login update-docs"],
  run: async ({ values, positionals }, context) => (await import("./queue/line.ts")).add(values, positionals, context),
});

const rm = command({
  name: "queue rm",
  summary: "Take tasks out.",
  usage: "cox queue rm TASK...",
  examples: ["cox queue rm fix-login"],
  words: [1, MANY],
  options: { project },
  run: async ({ values, positionals }, context) => (await import("./queue/line.ts")).rm(values, positionals, context),
});

const run = command({
  name: "queue run",
  summary: "Start what waits, until Ctrl-C; runs that were started go on.",
  usage: "cox queue run [--max-concurrent N] [--once]",
  words: [0, 0],
  options: {
    "max-concurrent": { value: "N", help: "at most N at once (2, or max_concurrent of the config)" },
    once: { help: "end when nothing runs and nothing can be started; exit code 1 when a task failed" },
    json,
  },
  examples: ["cox queue run --max-concurrent 2", "cox queue run --once && echo all done"],
  run: async ({ values }, context) => (await import("./queue/work.ts")).workUntilInterrupted(values, context),
});

export default group({
  name: "queue",
  summary: "Tasks that wait for their turn, and a worker that starts them.",
  verbs: { ls, add, rm, run },
  examples: [
    "cox queue add fix-login update-docs",
    "cox queue run --max-concurrent 2          until Ctrl-C; runs that were started go on",
  ],
});
