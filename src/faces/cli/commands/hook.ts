import { messageOf } from "../../../contract/errors.ts";
import { type CommandSpec, type Context, command } from "../../../lib/command/command.ts";
import { group } from "../../../lib/command/group.ts";
import type { Desk } from "./hook/desk.ts";

/** One of them, at the agent's desk. */
const hook = (name: string, summary: string, run: (desk: Desk, context: Context) => Promise<number> | number) =>
  command({
    name: `hook ${name}`,
    summary,
    usage: `cox hook ${name}`,
    examples: [`cox hook ${name}`],
    words: [0, 0],
    options: {},
    run: async (_, context) => run(await (await import("./hook/desk.ts")).Desk.open(context), context),
  });

const hooks = group({
  name: "hook",
  summary: "What the hooks of a supervised agent call (see `cox setup claude`).",
  examples: ["cox hook check-mail"],
  verbs: {
    prime: hook("prime", "Say who the agent is, and where it stands.", (desk) => desk.prime()),
    "check-mail": hook("check-mail", "Print messages that came since it last looked.", (desk) => desk.checkMail()),
    "drain-queue": hook("drain-queue", "Print notes left in its queue, each once.", (desk) => desk.drainQueue()),
    "stop-gate": hook(
      "stop-gate",
      "Exit with 2 while there is something to read before it stops.",
      async (desk, context) => (await import("./hook/stop-gate.ts")).stopGate(desk, context),
    ),
  },
});

/** What an agent's hooks call. Their output goes into the conversation; exit code 2 means "not yet" and nothing else. */
const spec: CommandSpec = {
  ...hooks,
  async run(input, context) {
    try {
      return await hooks.run(input, context);
    } catch (error) {
      // Any other code is a remark to the agent's runner; 2 would keep the agent from stopping because of our own trouble.
      context.stderr.write(`cox hook: ${messageOf(error)}\n`);
      return 1;
    }
  },
};
export default spec;
