import { messageOf } from "../../../contract/errors.ts";
import { command } from "../../../lib/command/command.ts";
import { chooseVerb } from "../../../lib/command/verbs.ts";

const nothing = { words: [0, 0], options: [] } as const;
const verbs = {
  prime: { usage: "cox hook prime", ...nothing },
  "check-mail": { usage: "cox hook check-mail", ...nothing },
  "drain-queue": { usage: "cox hook drain-queue", ...nothing },
  "stop-gate": { usage: "cox hook stop-gate", ...nothing },
} as const;

/** What an agent's hooks call. Their output goes into the conversation; exit code 2 means "not yet" and nothing else. */
export default command({
  name: "hook",
  summary: "What the hooks of a supervised agent call (see `cox setup claude`).",
  usage: "cox hook prime | check-mail | drain-queue | stop-gate",
  options: {},
  examples: [
    "cox hook prime          who the agent is, and where it stands",
    "cox hook check-mail     messages that came since it last looked",
    "cox hook drain-queue    notes left in its queue, each once",
    "cox hook stop-gate      exit 2 while there is something to read before it stops",
  ],
  async run({ values, positionals }, context) {
    try {
      const { verb } = chooseVerb("hook", verbs, { values, positionals });
      const { Desk } = await import("./hook/desk.ts");
      const desk = await Desk.open(context);
      switch (verb) {
        case "prime":
          return desk.prime();
        case "check-mail":
          return desk.checkMail();
        case "drain-queue":
          return desk.drainQueue();
        case "stop-gate":
          return (await import("./hook/stop-gate.ts")).stopGate(desk, context);
      }
    } catch (error) {
      // Any other code is a remark to the agent's runner; 2 would keep the agent from stopping because of our own trouble.
      context.stderr.write(`cox hook: ${messageOf(error)}\n`);
      return 1;
    }
  },
});
