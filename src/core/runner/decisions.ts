import { AppError } from "../../contract/errors.ts";
import type { RecordedEvent } from "../../contract/events.ts";
import { matchOf, ruleFor } from "../../contract/requests/policy.ts";
import { advance, type OpenRequest, type SessionState, starting } from "../../contract/sessions/session-state.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Remember } from "../sessions/requests.ts";
import { appendAudit } from "../store/audit.ts";
import type { Home } from "../store/home.ts";
import { makeRule } from "../store/rules.ts";
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

/** Stores what a person decides for good, whichever way it came. */
export function rememberDecisions({ home, workspace, ...where }: Where, clock: Clock): Remember {
  return (request, decision, who = "unknown") => {
    const draft = ruleFor(request, { project: where.project, workspace });
    if (draft === undefined) {
      const message = `request ${request.pendingId}: no rule can say exactly this action; answer it alone`;
      throw new AppError("usage.invalid", message);
    }
    const rule = makeRule(home, { decision, ...draft }, who, clock.now());
    const at = new Date(clock.now()).toISOString();
    appendAudit(home, { at, what: "rule.made", who, ...where, data: { ...rule } });
  };
}

function asked(request: OpenRequest | undefined, workspace: string) {
  if (request?.type === "question_request") return { asked: request.questions.map(({ text }) => text).join("\n") };
  if (request === undefined) return {};
  return { asked: request.permissionTitle, kind: request.actionType, action: matchOf(request, workspace) };
}
