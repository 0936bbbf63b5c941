import { firstWords } from "../core/runs/first-words.ts";
import { forgetRun } from "../core/runs/forget-run.ts";
import { type NamedRun, tellRun, whenEnded } from "../core/runs/run-access.ts";
import type { Context } from "../lib/command/command.ts";

/** Others may talk to it from elsewhere. */
export const isSilent = ({ home, run }: NamedRun): boolean => firstWords(home, run) === "";

/** Ends a conversation in which nobody said anything, of which nothing is left then. */
export async function leaveSilent(named: NamedRun, context: Context): Promise<void> {
  await tellRun(named, { type: "stop" }, context);
  await whenEnded(named, context.clock);
  if (isSilent(named)) await forgetRun(named, context.clock);
}
