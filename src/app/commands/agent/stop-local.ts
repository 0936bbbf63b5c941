import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import type { Context } from "../../../lib/command/command.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import { isAlive, type ProcessIdentity } from "../../../lib/process/holders/identity.ts";
import { send } from "../../../lib/process/stop.ts";
import { localPlace } from "./local-place.ts";

/** Ends the supervisor of a folder, and its agent with it. */
export async function stopLocally(workspace: string | undefined, context: Context): Promise<number> {
  const place = localPlace(workspace, context);
  const supervisor = recordIn(join(place.state, "supervisor.json"));
  if (supervisor === undefined || !isAlive(supervisor)) {
    throw new AppError("agent.not_ready", `stop agent: ${place.workspace}: no supervisor is at work there`);
  }
  send(supervisor.pid, "SIGTERM");
  while (isAlive(supervisor)) await context.clock.sleep(50);
  context.stdout.write(`stopped ${place.workspace}\n`);
  return 0;
}

function recordIn(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
