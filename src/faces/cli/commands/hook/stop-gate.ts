import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { plural } from "../../../../contract/words/figures.ts";
import type { Context } from "../../../../lib/command/command.ts";
import type { Desk } from "./desk.ts";

export interface GateView {
  /** It was already kept from stopping once, and stops again. */
  stopHookActive: boolean;
  stopRequested: boolean;
  unread: number;
  notes: number;
}

/** Pure: why the agent shall go on; `undefined` lets it stop. */
export function reasonToGoOn({ stopHookActive, stopRequested, unread, notes }: GateView): string | undefined {
  // An agent that is told the same thing again and again never ends.
  if (stopHookActive || stopRequested || unread + notes === 0) return undefined;
  const waiting = [unread > 0 && plural(unread, "message"), notes > 0 && plural(notes, "note")]
    .filter(Boolean)
    .join(" and ");
  const commands = [unread > 0 && "`cox hook check-mail`", notes > 0 && "`cox hook drain-queue`"]
    .filter(Boolean)
    .join(" and ");
  return `Before you stop: ${waiting} came for you. Read with ${commands}, and deal with it.`;
}

export async function stopGate(desk: Desk, { stdin, stderr }: Pick<Context, "stdin" | "stderr">): Promise<number> {
  const reason = reasonToGoOn({
    stopHookActive: await isActive(stdin),
    stopRequested: existsSync(join(desk.state, "stop-requested")),
    unread: desk.unread().length,
    notes: desk.notes().length,
  });
  if (reason === undefined) return 0;
  stderr.write(`${reason}\n`);
  return 2;
}

async function isActive(stdin: Context["stdin"]): Promise<boolean> {
  if (stdin.isTTY) return false;
  try {
    const input: unknown = JSON.parse(await text(stdin));
    return (
      typeof input === "object" && input !== null && "stop_hook_active" in input && input.stop_hook_active === true
    );
  } catch {
    return false; // called by hand, or by a runner that tells nothing
  }
}
