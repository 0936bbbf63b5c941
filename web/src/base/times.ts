import { formatAge } from "../../../src/contract/words/figures.ts";

/** Times as people read them here: how long ago, and in the reader's own time zone. */
export function ago(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  if (Number.isNaN(ms)) return "";
  return ms < 60_000 ? "now" : `${formatAge(ms)} ago`;
}

export function clockTime(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

export function dateTime(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime())
    ? ""
    : date.toLocaleString([], { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
}
