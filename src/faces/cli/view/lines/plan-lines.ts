import type { EventOf } from "../../../../contract/events.ts";
import { beginningOf } from "../../../../contract/words/content.ts";
import { fit, wrap } from "../../../../lib/command/columns.ts";
import type { Page, Paint } from "../../../../lib/command/paint.ts";
import { oneLine, printable } from "../../../../lib/text/printable.ts";

type Plan = EventOf<"plan">;
type Entry = Plan["entries"][number];

/** The whole list when it is new; later only the entries that changed, since agents send it again at every step. */
export function renderPlan(plan: Plan, before: Plan | undefined, page: Page): string[] {
  if (plan.entries.length === 0) return renderText(plan, before, page);
  const isSameList =
    before?.entries.length === plan.entries.length &&
    plan.entries.every((entry, index) => entry.text === before.entries[index]?.text);
  const shown = plan.entries.filter(({ status }, index) => !isSameList || status !== before.entries[index]?.status);
  return shown.map((entry) => renderEntry(entry, page));
}

function renderText(plan: Plan, before: Plan | undefined, { width }: Page): string[] {
  const text = beginningOf(plan.markdown ?? "");
  if (text === "" || text === beginningOf(before?.markdown ?? "")) return [];
  return wrap(printable(text).trimEnd(), width);
}

function renderEntry({ text, status }: Entry, { width, paint }: Page): string {
  const line = fit(oneLine(text), width - 3 - paint.marks.plan.todo.length, paint.marks.more);
  const shown = status === "in_progress" ? paint.bold(line) : status === "pending" ? line : paint.dim(line);
  return `  ${boxOf(status, paint)} ${shown}`;
}

function boxOf(status: Entry["status"], paint: Paint): string {
  switch (status) {
    case "pending":
      return paint.marks.plan.todo;
    case "in_progress":
      return paint.cyan(paint.marks.plan.now);
    case "completed":
      return paint.green(paint.marks.plan.done);
    case "cancelled":
      return paint.yellow(paint.marks.plan.dropped);
  }
}
