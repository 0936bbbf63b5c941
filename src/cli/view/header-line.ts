import { oneLine } from "../../base/printable.ts";
import { columnsOf, fit } from "./columns.ts";
import type { ViewOptions } from "./index.ts";
import type { Page } from "./paint.ts";

export function renderHeader({ runId, agent, model, cwd }: ViewOptions["header"], { width, paint }: Page): string[] {
  const who = model === "" ? oneLine(agent) : `${oneLine(agent)} (${oneLine(model)})`;
  const where = `${who} in ${oneLine(cwd)}`;
  const line = `${where} · run ${runId}`;
  // The id is what one types elsewhere: it is never cut.
  return (columnsOf(line) <= width ? [line] : [fit(where, width), `run ${runId}`]).map(paint.dim);
}
