import { type Context, command } from "../../../lib/command/command.ts";
import { chooseVerb, type Verb } from "../../../lib/command/verbs.ts";

const options = {
  project: { value: "NAME", help: "the task's project, where its name alone is not unique" },
  "max-concurrent": { value: "N", help: "at most N at once (2, or max_concurrent of the config)" },
  once: { help: "end when nothing runs and nothing can be started; exit code 1 when a task failed" },
  json: { help: "print JSON lines" },
} as const;

const verbs = {
  ls: { usage: "cox queue ls [--json]", words: [0, 0], options: ["json"] },
  add: { usage: "cox queue add TASK…", words: [1, Number.POSITIVE_INFINITY], options: ["project", "json"] },
  rm: { usage: "cox queue rm TASK…", words: [1, Number.POSITIVE_INFINITY], options: ["project"] },
  run: {
    usage: "cox queue run [--max-concurrent N] [--once]",
    words: [0, 0],
    options: ["max-concurrent", "once", "json"],
  },
} as const satisfies Record<string, Verb<keyof typeof options>>;

export default command({
  name: "queue",
  summary: "Tasks that wait for their turn, and a worker that starts them.",
  usage: "cox queue ls|add|rm|run [options]",
  options,
  examples: [
    "cox queue add fix-login update-docs",
    "cox queue run --max-concurrent 2          until Ctrl-C; runs that were started go on",
    "cox queue run --once && echo all done",
  ],
  async run({ values, positionals }, context: Context) {
    const { verb, words } = chooseVerb("queue", verbs, { values, positionals });
    const queue = await import("./queue/line.ts");
    switch (verb) {
      case "ls":
        return queue.ls(values, context);
      case "add":
        return queue.add(values, words, context);
      case "rm":
        return queue.rm(values, words, context);
      case "run":
        return (await import("./queue/work.ts")).workUntilInterrupted(values, context);
    }
  },
});
