import { runName } from "../../contract/ids.ts";
import { advance, type SessionState, starting, waitingFor } from "../../contract/sessions/session-state.ts";
import { readInfo } from "../../core/runs/run-access.ts";
import { followEvents } from "../../core/store/events/event-reader.ts";
import type { FoundRun } from "../../core/store/runs/find-run.ts";
import type { Context } from "../../lib/command/command.ts";
import { noColours } from "../../lib/command/paint.ts";
import { renderAsk } from "./view/lines/request-lines.ts";

/**
 * Says what a run does that is waited for, at once and whenever it asks a person something or goes on: or nobody would know that
 * it is them who are waited for. Resolves when it ends, or with
 * `untilAsked` to `true` as soon as it asks.
 */
export async function tellWaiting(
  run: FoundRun,
  { stderr }: Context,
  { signal, untilAsked }: { signal: AbortSignal; untilAsked: boolean },
): Promise<boolean> {
  const info = readInfo(run);
  if (info.status !== "running") return false;
  stderr.write(`waiting for ${runName(run)} (${info.agent} in ${info.cwd})\n`);
  const page = { width: stderr.columns || 120, paint: noColours };
  let state: SessionState = starting;
  let asked = new Set<string>();
  for await (const events of followEvents(run.paths.events, { signal })) {
    state = events.reduce((before: SessionState, event) => advance(before, event), state);
    const open = waitingFor(state);
    const fresh = open.filter(({ pendingId }) => !asked.has(pendingId));
    for (const request of fresh) stderr.write(`${renderAsk(request, info, page).join("\n")}\n`);
    if (untilAsked && fresh.length > 0) return true;
    if (asked.size > 0 && open.length === 0) stderr.write(`${runName(run)} goes on\n`);
    asked = new Set(open.map(({ pendingId }) => pendingId));
  }
  return false;
}
