import { openRun, tellRun } from "../../../core/runs/run-access.ts";
import { liveState } from "../../../core/runs/run-state.ts";
import { command } from "../../../lib/command/command.ts";

export default command({
  name: "interrupt",
  summary: "Interrupt the turn a run is working on; the run stays.",
  usage: "cox interrupt RUN",
  examples: ["cox interrupt latest"],
  words: [1, 1],
  options: {},
  async run({ positionals }, context) {
    const named = await openRun(context, positionals[0] ?? "");
    const wasIdle = liveState(named.run.paths.events) === "idle";
    await tellRun(named, { type: "interrupt" }, context);
    context.stdout.write(wasIdle ? "nothing was under way\n" : "interrupted\n");
    return 0;
  },
});
