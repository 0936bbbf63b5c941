import type { AgentEvent, Content, EventOf } from "../../../../contract/events.ts";
import { isDeafTo } from "../../../../contract/requests/reply.ts";
import type { OpenRequest } from "../../../../contract/sessions/transcript.ts";
import { textOf } from "../../../../contract/words/content.ts";
import { columnsOf, fit, wrap } from "../../../../lib/command/columns.ts";
import type { Page } from "../../../../lib/command/paint.ts";
import { oneLine, printable } from "../../../../lib/text/printable.ts";
import { titleOf } from "./request-lines.ts";

const STDERR_LINES = 5;

/** The lines of an event that is told by itself; streamed text, tools, plans and requests have their own. */
export function renderEvent(event: AgentEvent, page: Page): string[] {
  const { paint, width } = page;
  switch (event.type) {
    case "session_status":
      return renderStatus(event, page);
    case "user_message":
      return renderPrompt(event, page);
    case "complete":
      return renderEnd(event, page);
    case "error":
      return renderError(event, page);
    case "notice":
      if (event.code === "retrying") return wrap(`! ${oneLine(event.text)}`, width).map(paint.yellow);
      return wrap(`${paint.marks.dot} ${oneLine(event.text)}`, width).map(paint.dim);
    case "rate_limit":
      return event.status === "ok" ? [] : wrap(rateLimit(event), width).map(paint.yellow);
    default:
      return [];
  }
}

/** Nothing for a person whose name isn't known. */
export const whoResolved = ({ who, by }: EventOf<"request_resolved">): string =>
  who === undefined ? (by === "person" ? "" : by) : oneLine(who);

/** Who decided what; the box has gone by then. */
export function renderResolved(
  event: EventOf<"request_resolved">,
  request: OpenRequest | undefined,
  page: Page,
): string[] {
  const { paint, width } = page;
  const refused = event.outcome !== "allowed" && event.outcome !== "answered";
  const mark = refused ? paint.yellow(paint.marks.refused) : paint.green(paint.marks.done);
  const who = whoResolved(event);
  const what = request === undefined ? oneLine(event.pendingId) : titleOf(request);
  const by = who === "" ? "" : ` by ${who}`;
  const given = oneLine(event.reason ?? "");
  const isUntold = given !== "" && event.by === "person" && event.outcome === "denied" && isDeafTo(request);
  const why = isUntold ? `${given}; the agent can't be told why` : given;
  const decision = `${event.outcome}${by}: ${what}`;
  const line = why === "" ? decision : `${decision} (${why})`;
  if (columnsOf(line) <= width - 2) return [`${mark} ${paint.dim(line)}`];
  // A title may be cut; a reason often ends with what to do about it.
  const reason = why === "" ? [] : wrap(why, width - 4).map((row) => paint.dim(`    ${row}`));
  return [`${mark} ${paint.dim(fit(decision, width - 2, paint.marks.more))}`, ...reason];
}

export const textOfContent = (content: readonly Content[]): string => printable(textOf(content)).trim();

function renderStatus(event: EventOf<"session_status">, { paint, width }: Page): string[] {
  if (event.status === "resumed") return [paint.dim(`${paint.marks.dot} the earlier conversation goes on`)];
  if (event.status !== "parked") return [];
  const until = event.until === undefined ? "" : `, until ${oneLine(event.until)}`;
  return wrap(`${paint.marks.dot} waiting: ${oneLine(event.reason)}${until}`, width).map(paint.dim);
}

function renderPrompt(event: EventOf<"user_message">, { paint, width }: Page): string[] {
  const { prompt, steer } = paint.marks;
  const mark = event.delivery === "steer" ? steer : prompt;
  const rows = wrap(textOfContent(event.content), width - mark.length - 1);
  return rows.map((row, index) => paint.cyan(`${index === 0 ? mark : " ".repeat(mark.length)} ${row}`.trimEnd()));
}

/** A turn that simply ended needs no words: the answer stands above. */
function renderEnd(event: EventOf<"complete">, { paint, width }: Page): string[] {
  const why = event.reason === undefined ? "" : `: ${oneLine(event.reason)}`;
  if (event.outcome === "interrupted") return wrap(`${paint.marks.refused} interrupted${why}`, width).map(paint.yellow);
  if (event.outcome === "failed") return wrap(`${paint.marks.failed} the turn failed${why}`, width).map(paint.red);
  const cut = event.stopReason !== undefined ? earlyStops[event.stopReason] : undefined;
  return cut === undefined ? [] : wrap(`! ${cut}`, width).map(paint.yellow);
}

const earlyStops: Partial<Record<NonNullable<EventOf<"complete">["stopReason"]>, string>> = {
  max_tokens: "the answer was cut: it reached the limit of tokens",
  max_turns: "the agent stopped: it reached its limit of steps",
  refusal: "the model refused to go on",
  cancelled: "the turn was cancelled",
};

function renderError(event: EventOf<"error">, { paint, width }: Page): string[] {
  const status = event.httpStatus === undefined ? "" : ` ${event.httpStatus}`;
  const lines = wrap(`${paint.marks.failed} ${event.category}${status}: ${printable(event.message).trim()}`, width).map(
    paint.red,
  );
  if (event.remedy !== undefined)
    lines.push(...wrap(`  ${paint.marks.arrow} ${oneLine(event.remedy)}`, width).map(paint.bold));
  const said = printable(event.stderrTail ?? "").split("\n");
  const tail = said.filter((line) => line.trim() !== "").slice(-STDERR_LINES);
  return [...lines, ...tail.map((line) => paint.dim(fit(`  | ${line}`, width, paint.marks.more)))];
}

function rateLimit({ status, scope, usedPercent, resetsAt }: EventOf<"rate_limit">): string {
  const what = `${scope === undefined ? "" : `${oneLine(scope)} `}limit`;
  const used = usedPercent === undefined ? "" : `, ${usedPercent} % used`;
  const resets = resetsAt === undefined ? "" : `, resets at ${oneLine(resetsAt)}`;
  return status === "limited" ? `! ${what} reached${used}${resets}` : `! near the ${what}${used}${resets}`;
}
