import type { RecordedEvent } from "../../contract/events.ts";
import { matchOf } from "../../contract/requests/policy.ts";
import { advance, type OpenRequest, type SessionState, starting } from "../../contract/runs/session-state.ts";
import { appendAudit } from "../store/audit.ts";
import type { Home } from "../store/home.ts";
import type { Watcher } from "./recorder.ts";

interface Where {
  home: Home;
  run: string;
  project: string;
  task: string;
  workspace: string;
}

/** Writes down who decided on each request, with what was asked. */
export function auditDecisions({ home, workspace, ...where }: Where): Watcher {
  let state: SessionState = starting;
  const hear = (event: RecordedEvent) => {
    const { requests } = state;
    state = advance(state, event);
    if (event.type !== "request_resolved") return;
    const { at, by, who = by, pendingId, outcome, optionId, reason } = event;
    const data = { request: pendingId, outcome, by, optionId, reason, ...asked(requests.get(pendingId), workspace) };
    appendAudit(home, { at, what: "request.resolved", who, ...where, data });
  };
  return (events) => events.forEach(hear);
}

function asked(request: OpenRequest | undefined, workspace: string) {
  if (request?.type === "question_request") return { asked: request.questions.map(({ text }) => text).join("\n") };
  if (request === undefined) return {};
  return { asked: request.permissionTitle, kind: request.actionType, action: matchOf(request, workspace) };
}
