import type { OpenRequestItem } from "../../../contract/api/values.ts";
import { AppError } from "../../../contract/errors.ts";
import { runName } from "../../../contract/ids.ts";
import { matchOf } from "../../../contract/requests/policy.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { type OpenRequest, phaseOf, waitingFor } from "../../../contract/sessions/session-state.ts";
import { eventsBackward } from "../../../core/store/events/event-reader.ts";
import type { RecordedRequest } from "../../../core/store/events/recent-state.ts";
import type { Home } from "../../../core/store/home.ts";
import { readClaims } from "../../../core/store/runs/claims.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { readRunInfo } from "../../../core/store/runs/run-info.ts";
import type { RunFold, RunFolds } from "./run-fold.ts";
import type { RunIndex } from "./run-index.ts";
import type { Runs } from "./runs.ts";

/** What all live runs wait for, the longest waiting first. */
export function openRequests(home: Home, runs: RunIndex, folds: RunFolds): OpenRequestItem[] {
  const items = readClaims(home).flatMap(({ runId, claim }) => {
    if (claim === undefined) return [];
    const paths = runPaths(claim.dir);
    const fold = folds.of(runId, paths.events);
    if (phaseOf(fold.state) !== "waiting") return [];
    const info = readRunInfo(paths.info);
    return info === undefined ? [] : requestItems(info, runs.get(runId)?.title ?? "", fold);
  });
  return items.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** The open request of this name; else why it isn't: answered before (by whom, and when), expired, or never asked. */
export function openRequestOf(runs: Runs, runId: string, pendingId: string): OpenRequestItem {
  const { run, info } = runs.require(runId);
  const fold = runs.folds.of(runId, run.paths.events);
  const live = info.status === "running";
  const item = live ? requestItems(info, run.title, fold).find((one) => one.pending_id === pendingId) : undefined;
  if (item !== undefined) return item;
  for (const event of eventsBackward(run.paths.events)) {
    if (event.type !== "request_resolved" || event.pendingId !== pendingId) continue;
    const { outcome, by, who, at } = event;
    const message = `request ${pendingId}: already ${outcome} by ${who ?? by} at ${at}`;
    throw new AppError("request.resolved", message, { by, who, at, outcome });
  }
  throw new AppError("request.not_found", `request ${pendingId}: run ${runName(info)} asked nothing of that name`);
}

export function requestItems(info: RunInfo, title: string, fold: RunFold): OpenRequestItem[] {
  return waitingFor(fold.state).map((asked) => itemOf(info, title, asked));
}

function itemOf(info: RunInfo, title: string, asked: RecordedRequest): OpenRequestItem {
  const { seq, at, sessionId: _, ...request } = asked;
  return {
    run_id: info.run_id,
    ...(info.handle === 0 ? {} : { handle: info.handle }),
    pending_id: request.pendingId,
    project: info.project_id,
    task: info.task_id,
    title,
    agent: info.agent,
    cwd: info.cwd,
    at,
    seq,
    request,
    ...ruleOf(request, info),
  };
}

/** What "always" would store. */
function ruleOf(request: OpenRequest, info: RunInfo): Pick<OpenRequestItem, "rule"> {
  const match = request.type === "permission_request" ? matchOf(request, info.cwd) : undefined;
  if (request.type !== "permission_request" || match === undefined) return {};
  return { rule: { kind: request.actionType, match, project: info.project_id, agent: "" } };
}
