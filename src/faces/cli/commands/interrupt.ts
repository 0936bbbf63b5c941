import { openRun, tellRun } from "../../../core/runs/run-access.ts";
import { liveState } from "../../../core/runs/run-state.ts";
import { command, requirePositionals } from "../../../lib/command/command.ts";

const spec = command({
  name: "interrupt",
  summary: "Interrupt the turn a run is working on; the run stays.",
  usage: "cox interrupt RUN",
  options: {},
  async run({ positionals }, context) {
    requirePositionals(spec, positionals, 1);
    const named = await openRun(context, positionals[0] ?? "");
    const wasIdle = liveState(named.run.paths.events) === "idle";
    await tellRun(named, { type: "interrupt" }, context);
    context.stdout.write(wasIdle ? "nothing was under way\n" : "interrupted\n");
    return 0;
  },
});
export default spec;
