import type { RunItem } from "../../../contract/api/values.ts";
import type { RunSummary } from "../../../contract/runs/run.ts";

/** Exactly what lists show, whatever else a newer version may have written. */
export function runItem({
  run_id,
  handle,
  project,
  task,
  agent,
  parent,
  previous,
  at,
  cwd,
  title,
  end,
}: RunSummary): RunItem {
  return {
    run_id,
    ...(handle === undefined ? {} : { handle }),
    project,
    task,
    agent,
    ...(parent === undefined ? {} : { parent }),
    ...(previous === undefined ? {} : { previous }),
    at,
    cwd,
    title,
    ...(end === undefined ? {} : { end: endOf(end) }),
  };
}

const endOf = ({ at, status, reason, exit_code, cost_usd, tokens, turns }: NonNullable<RunSummary["end"]>) => ({
  at,
  status,
  reason,
  exit_code,
  cost_usd,
  tokens,
  turns,
});
