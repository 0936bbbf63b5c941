import { oneLine } from "../../base/printable.ts";
import { fit } from "./columns.ts";
import type { ViewOptions } from "./index.ts";
import type { Page } from "./paint.ts";

export function renderHeader({ runId, agent, model, cwd }: ViewOptions["header"], { width, paint }: Page): string[] {
  const who = model === "" ? oneLine(agent) : `${oneLine(agent)} (${oneLine(model)})`;
  return [paint.dim(fit(`${who} in ${oneLine(cwd)} · run ${runId}`, width))];
}
