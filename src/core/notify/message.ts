import { requestName, runName, shorten } from "../../contract/ids.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import type { OpenRequest } from "../../contract/sessions/transcript.ts";
import { randomUUID } from "../../lib/base/crypto.ts";
import { revealed } from "../../lib/text/printable.ts";
import { shellWords } from "../../lib/text/shell-words.ts";

/** What a person may want to be told. */
export const notifyEvents = ["request", "failed", "completed", "budget"] as const;
export type NotifyEvent = (typeof notifyEvents)[number];

/** What is sent, as it is sent. Nothing in it is secret: it goes to places we don't know. */
export interface NotifyMessage {
  /** The same however often it is sent: whoever gets it twice can tell. */
  id: string;
  time: string;
  event: NotifyEvent | "test";
  /** One line. */
  title: string;
  text: string;
  run?: RunOfMessage;
  /** What to type. */
  answer?: string;
}

export interface RunOfMessage {
  id: string;
  handle: number;
  project: string;
  task: string;
  agent: string;
}

type Draft = Omit<NotifyMessage, "id" | "time">;

export function newMessage(draft: Draft, now: number): NotifyMessage {
  return { id: randomUUID(), time: new Date(now).toISOString(), ...draft };
}

export function requestDraft(run: RunOfMessage, request: OpenRequest): Draft {
  const what =
    request.type === "permission_request"
      ? request.permissionTitle || request.actionType
      : (request.message ?? request.questions[0]?.text ?? "a question");
  const answer = request.type === "permission_request" ? ["allow"] : [];
  return {
    event: "request",
    title: `${run.agent} needs you`,
    text: plain(revealed(what)),
    run,
    answer: `cox answer ${shellWords([requestName(about(run), request.pendingId), ...answer])}`,
  };
}

export function endDraft(run: RunOfMessage, info: Pick<RunInfo, "status" | "reason" | "error_summary">): Draft {
  const event = info.status === "completed" ? "completed" : "failed";
  const text = event === "completed" ? `${run.project}/${run.task}` : info.error_summary || info.reason;
  return {
    event,
    title: `${run.agent} has ${event}`,
    text: plain(text),
    run,
    answer: `cox show ${runName(about(run))}`,
  };
}

export function budgetDraft(run: RunOfMessage, text: string): Draft {
  return {
    event: "budget",
    title: "a budget is nearly used up",
    text: plain(text),
    run,
    answer: `cox show ${runName(about(run))}`,
  };
}

const about = ({ id, handle }: RunOfMessage) => ({ run_id: id, handle });

export const testDraft: Draft = {
  event: "test",
  title: "Coxswain can reach you",
  text: "You asked for this with `cox notify test`.",
};

/** Agents write these texts: nothing that a screen would obey gets through, and no more than a line or three. */
function plain(text: string): string {
  return shorten(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim(), 300);
}
