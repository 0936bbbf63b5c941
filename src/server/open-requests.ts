import type { OpenRequestItem } from "../contract/api/values.ts";
import { matchOf } from "../contract/policy.ts";
import type { RunInfo } from "../contract/run.ts";
import type { OpenRequest } from "../contract/transcript.ts";
import { readClaims } from "../store/claims.ts";
import type { Home } from "../store/home.ts";
import { runPaths } from "../store/run-directory.ts";
import { readRunInfo } from "../store/run-info.ts";
import type { RunFold, RunFolds } from "./run-fold.ts";
import type { RunIndex } from "./run-index.ts";

/** What all live runs wait for, the longest waiting first. */
export function openRequests(home: Home, runs: RunIndex, folds: RunFolds): OpenRequestItem[] {
  const items = readClaims(home).flatMap(({ runId, claim }) => {
    if (claim === undefined) return [];
    const paths = runPaths(claim.dir);
    const fold = folds.of(runId, paths.events);
    if (fold.requests.size === 0) return [];
    const info = readRunInfo(paths.info);
    return info === undefined ? [] : requestItems(info, runs.get(runId)?.title ?? "", fold);
  });
  return items.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

export function requestItems(info: RunInfo, title: string, fold: RunFold): OpenRequestItem[] {
  return [...fold.requests.values()].map(({ seq, at, ...request }) => ({
    run_id: info.run_id,
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
  }));
}

/** What "always" would store. */
function ruleOf(request: OpenRequest, info: RunInfo): Pick<OpenRequestItem, "rule"> {
  const match = request.type === "permission_request" ? matchOf(request, info.cwd) : undefined;
  if (request.type !== "permission_request" || match === undefined) return {};
  return { rule: { kind: request.actionType, match, project: info.project_id, agent: "" } };
}
