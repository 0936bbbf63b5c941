import { runName } from "../../../../contract/ids.ts";
import { columnsOf, fit } from "../../../../lib/command/columns.ts";
import type { Page } from "../../../../lib/command/paint.ts";
import { oneLine } from "../../../../lib/text/printable.ts";
import type { ViewOptions } from "../index.ts";

export function renderHeader({ agent, model, cwd, ...run }: ViewOptions["header"], { width, paint }: Page): string[] {
  const who = model === "" ? oneLine(agent) : `${oneLine(agent)} (${oneLine(model)})`;
  const where = `${who} in ${oneLine(cwd)}`;
  const name = `run ${runName(run)}`;
  const line = `${where} ${paint.marks.dot} ${name}`;
  // The name is what one types elsewhere: it is never cut.
  return (columnsOf(line) <= width ? [line] : [fit(where, width, paint.marks.more), name]).map(paint.dim);
}
