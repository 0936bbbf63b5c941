import { columnsOf, fit } from "../../../../lib/command/columns.ts";
import type { Page } from "../../../../lib/command/paint.ts";
import { oneLine } from "../../../../lib/text/printable.ts";
import type { ViewOptions } from "../index.ts";

export function renderHeader({ runId, agent, model, cwd }: ViewOptions["header"], { width, paint }: Page): string[] {
  const who = model === "" ? oneLine(agent) : `${oneLine(agent)} (${oneLine(model)})`;
  const where = `${who} in ${oneLine(cwd)}`;
  const line = `${where} · run ${runId}`;
  // The id is what one types elsewhere: it is never cut.
  return (columnsOf(line) <= width ? [line] : [fit(where, width), `run ${runId}`]).map(paint.dim);
}
