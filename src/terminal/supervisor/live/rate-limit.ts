import type { AgentView } from "../host/terminal-api.ts";

const HALF_AN_HOUR = 30 * 60_000;
const MINUTE = 60_000;
/** What is further away was misread; then a try costs little. */
const LONGEST = 7 * 24 * 3_600_000;

/** Until when the agent has to wait; `undefined` when it isn't limited. */
export function limitedUntil(view: AgentView, now: number): number | undefined {
  const limited = view.error_category === "rate_limited" && view.state === "error";
  if (!limited && view.state !== "parked") return undefined;
  const told = view.resume_at_epoch_ms ?? resetIn(view.error_detail ?? "", now) ?? now + HALF_AN_HOUR;
  return told > now + LONGEST ? now + HALF_AN_HOUR : Math.max(told, now + MINUTE);
}

/** The time that a message names: as seconds of the epoch, as a date, as a span, or as an hour of the day. */
export function resetIn(text: string, now: number): number | undefined {
  const epoch = /\|(\d{10})\b/.exec(text)?.[1];
  if (epoch !== undefined) return Number(epoch) * 1000;
  const date = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))/.exec(text)?.[1];
  if (date !== undefined) return Date.parse(date);
  const span =
    /(?:retry|again|resets?|wait)\D{0,20}?\b(?:after|in)\s+((?:\d+\s*(?:h|m|s|hours?|min(?:utes?)?|sec(?:onds?)?)\b[\s,]*)+)/i.exec(
      text,
    )?.[1];
  if (span !== undefined) return now + spanOf(span);
  const clock = /resets?(?:\s+at)?\s+(\d{1,2})(?::(\d\d))?\s*(am|pm)\s*(?:\(([\w/+-]+)\))?/i.exec(text);
  return clock === null ? undefined : hourOf(clock, now);
}

function spanOf(text: string): number {
  let ms = 0;
  for (const [, count = "0", unit = "s"] of text.matchAll(/(\d+)\s*([hms])/gi)) {
    ms += Number(count) * { h: 3_600_000, m: MINUTE, s: 1000 }[unit.toLowerCase() as "h" | "m" | "s"];
  }
  return ms;
}

/** The next time that the clock of that zone (else ours) shows this hour. */
function hourOf([, hour = "0", minute = "0", half = "am", zone]: RegExpExecArray, now: number): number | undefined {
  const wanted = ((Number(hour) % 12) + (half.toLowerCase() === "pm" ? 12 : 0)) * 60 + Number(minute);
  try {
    const parts = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
    const [h = "0", m = "0"] = parts.format(now).split(":");
    const ahead = (wanted - (Number(h) * 60 + Number(m)) + DAY) % DAY || DAY;
    return Math.floor(now / MINUTE) * MINUTE + ahead * MINUTE;
  } catch {
    return undefined; // a zone that nobody knows
  }
}

const DAY = 24 * 60;
