import { phaseOf } from "../../../../contract/runs/session-state.ts";
import { formatCost, formatCount, formatDuration } from "../../../../contract/words/figures.ts";
import { fit } from "../../../../lib/command/columns.ts";
import type { Page } from "../../../../lib/command/paint.ts";
import { oneLine } from "../../../../lib/text/printable.ts";
import { textOfContent } from "../lines/event-lines.ts";
import type { Progress } from "../lines/progress.ts";

const QUEUED_LINES = 3;

/** `⠿ working 12s · 3.2k tokens · context 14 %`: what goes on while nothing else is said. */
export function renderStatus(
  progress: Progress,
  now: number,
  { interactive, interruptKey = () => "interrupts" }: { interactive: boolean; interruptKey?(): string },
  { width, paint }: Page,
): string[] {
  const doing = doingOf(progress, interactive);
  if (doing === undefined) return [];
  const { spent, current, context, turnBegan } = progress;
  const tokens = spent.input + spent.output + (current === undefined ? 0 : current.input + current.output);
  const figures = [
    turnBegan === undefined ? doing : `${doing} ${wholeSeconds(now - turnBegan)}`,
    tokens === 0 ? "" : `${formatCount(tokens)} tokens`,
    formatCost((spent.costUsd ?? 0) + (current?.costUsd ?? 0)),
    context === undefined ? "" : `context ${Math.round(context.efficiency)} %`,
    phaseOf(progress.state) === "working" ? `Ctrl-C ${interruptKey()}` : "",
  ].filter((part) => part !== "");
  return [...renderQueue(progress, width).map(paint.dim), paint.dim(fit(`● ${figures.join(" · ")}`, width))];
}

/** Tenths would change at every redraw and tell nothing. */
const wholeSeconds = (ms: number) => formatDuration(Math.floor(ms / 1000) * 1000).replace(".0s", "s");

function doingOf({ state, tools }: Progress, interactive: boolean): string | undefined {
  switch (phaseOf(state)) {
    case "starting":
      return "starting";
    case "working": {
      const tool = [...tools.values()].at(-1);
      return tool === undefined ? "working" : `running ${fit(oneLine(tool.toolTitle) || oneLine(tool.toolName), 40)}`;
    }
    case "waiting":
      return "answer sent"; // while there is none, the request is shown instead of this
    case "idle":
      return interactive ? undefined : "finishing";
    case "closed":
      return undefined;
  }
}

function renderQueue({ queue }: Progress, width: number): string[] {
  const shown = queue
    .slice(0, QUEUED_LINES)
    .map(({ content }) => fit(`  next: ${oneLine(textOfContent(content))}`, width));
  return queue.length > QUEUED_LINES ? [...shown, `  … ${queue.length - QUEUED_LINES} more prompts`] : shown;
}
