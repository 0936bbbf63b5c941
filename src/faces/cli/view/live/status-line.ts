import { phaseOf } from "../../../../contract/sessions/session-state.ts";
import { formatCost, formatCount, formatDuration } from "../../../../contract/words/figures.ts";
import { fit } from "../../../../lib/command/columns.ts";
import type { Marks, Page } from "../../../../lib/command/paint.ts";
import { oneLine } from "../../../../lib/text/printable.ts";
import { textOfContent } from "../lines/event-lines.ts";
import type { Progress } from "../lines/progress.ts";

const QUEUED_LINES = 3;

/** Shorter silences are how models think. */
const SILENT_MS = 10_000;

/** `⠿ working 12s · 3.2k tokens · context 14 %`: what goes on while nothing else is said. */
export function renderStatus(
  progress: Progress,
  openedAt: number,
  now: number,
  { interactive, interruptKey = () => "interrupts" }: { interactive: boolean; interruptKey?(): string },
  { width, paint }: Page,
): string[] {
  const doing = doingOf(progress, interactive, paint.marks);
  if (doing === undefined) return [];
  const { spent, current, context } = progress;
  const phase = phaseOf(progress.state);
  const began = phase === "starting" ? (progress.began ?? openedAt) : progress.turnBegan;
  const tokens = spent.input + spent.output + (current === undefined ? 0 : current.input + current.output);
  const figures = [
    began === undefined ? doing : `${doing} ${wholeSeconds(now - began)}`,
    silence(progress, now),
    tokens === 0 ? "" : `${formatCount(tokens)} tokens`,
    formatCost((spent.costUsd ?? 0) + (current?.costUsd ?? 0)),
    context === undefined ? "" : `context ${Math.round(context.efficiency)} %`,
    phase === "working" || phase === "starting" ? `Ctrl-C ${interruptKey()}` : "",
  ].filter((part) => part !== "");
  return [
    ...renderQueue(progress, width, paint.marks).map(paint.dim),
    paint.dim(fit(`${paint.marks.busy} ${figures.join(` ${paint.marks.dot} `)}`, width, paint.marks.more)),
  ];
}

/** Of a model that isn't heard of; a program may take its time. */
function silence({ state, tools, heardAt }: Progress, now: number): string {
  if (phaseOf(state) !== "working" || tools.size > 0 || heardAt === undefined || now - heardAt < SILENT_MS) return "";
  return `silent for ${wholeSeconds(now - heardAt)}`;
}

/** Tenths would change at every redraw and tell nothing. */
const wholeSeconds = (ms: number) => formatDuration(Math.floor(ms / 1000) * 1000).replace(".0s", "s");

function doingOf({ state, tools, isRetrying }: Progress, interactive: boolean, { more }: Marks): string | undefined {
  switch (phaseOf(state)) {
    case "starting":
      return "starting";
    case "working": {
      const tool = [...tools.values()].at(-1);
      return tool === undefined
        ? isRetrying
          ? "retrying"
          : "working"
        : `running ${fit(oneLine(tool.toolTitle) || oneLine(tool.toolName), 40, more)}`;
    }
    case "waiting":
      return "answer sent"; // while there is none, the request is shown instead of this
    case "idle":
      return interactive ? undefined : "finishing";
    case "closed":
      return undefined;
  }
}

function renderQueue({ queue }: Progress, width: number, { more }: Marks): string[] {
  const shown = queue
    .slice(0, QUEUED_LINES)
    .map(({ content }) => fit(`  next: ${oneLine(textOfContent(content))}`, width, more));
  return queue.length > QUEUED_LINES ? [...shown, `  ${more} ${queue.length - QUEUED_LINES} more prompts`] : shown;
}
