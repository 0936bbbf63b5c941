import { AppError } from "../../../contract/errors.ts";
import type { Context } from "../../../lib/command/command.ts";
import { isGone } from "../../../lib/process/holders/holder.ts";
import { send } from "../../../lib/process/stop.ts";
import { findSupervisor } from "../../../terminal/supervisor/claim.ts";
import { localPlace } from "./local-place.ts";

/** Ends the supervisor of a folder, and its agent with it. */
export async function stopLocally(workspace: string | undefined, context: Context): Promise<number> {
  const place = localPlace(workspace, context);
  const supervisor = findSupervisor(place.state);
  if (supervisor === undefined) {
    throw new AppError("agent.not_ready", `stop agent: ${place.workspace}: no supervisor is at work there`);
  }
  send(supervisor.pid, "SIGTERM");
  while (!isGone(supervisor)) await context.clock.sleep(50);
  context.stdout.write(`stopped ${place.workspace}\n`);
  return 0;
}
