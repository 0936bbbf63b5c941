import type { RunItem } from "../../../src/contract/api/values.ts";
import { runName } from "../../../src/contract/ids.ts";
import { formatCost, formatDuration } from "../../../src/contract/words/figures.ts";
import { useApi } from "../api/query.ts";
import { cut, oneLine } from "../base/safe-text.ts";
import { dateTime } from "../base/times.ts";
import { address, Link } from "../router.tsx";
import { Loaded } from "../ui/parts.tsx";
import { EndPill } from "../ui/pill.tsx";

/** The runs above and below this one, and the attempts before and after it. */
export function RunTree({ run }: { run: string }) {
  const answer = useApi("GET /runs/{run}/tree", { params: { run } });
  return (
    <div className="session-body">
      <Loaded answer={answer}>{({ items }) => <Lines items={items} here={run} />}</Loaded>
    </div>
  );
}

export interface TreeLine {
  item: RunItem;
  depth: number;
  /** An attempt after another. */
  attempt: number;
}

/** Children below their parents; attempts of one thing one after another. */
export function treeLines(items: readonly RunItem[]): TreeLine[] {
  const known = new Set(items.map(({ run_id }) => run_id));
  const below = Map.groupBy(items, ({ parent }) => (parent !== undefined && known.has(parent) ? parent : ""));
  const attempts = new Map<string, number>();
  for (const { run_id, previous } of items.toSorted((a, b) => a.run_id.localeCompare(b.run_id)))
    attempts.set(run_id, previous !== undefined ? (attempts.get(previous) ?? 0) + 1 : 0);
  const lines: TreeLine[] = [];
  const seen = new Set<string>();
  const add = (parent: string, depth: number) => {
    for (const item of (below.get(parent) ?? []).toSorted((a, b) => a.run_id.localeCompare(b.run_id))) {
      if (seen.has(item.run_id)) continue;
      seen.add(item.run_id);
      lines.push({ item, depth, attempt: attempts.get(item.run_id) ?? 0 });
      add(item.run_id, depth + 1);
    }
  };
  add("", 0);
  return lines;
}

export function Lines({ items, here = "" }: { items: readonly RunItem[]; here?: string }) {
  return (
    <ul className="run-tree">
      {treeLines(items).map(({ item, depth, attempt }) => (
        <li key={item.run_id} className={item.run_id === here ? "here" : ""} style={{ paddingLeft: 10 + depth * 22 }}>
          <Link
            className="one-line grow"
            to={address("runs", item.run_id)}
            aria-current={item.run_id === here ? "page" : undefined}
          >
            {depth > 0 ? "└ " : ""}
            {cut(oneLine(item.title || runName(item)), 120)}
          </Link>
          {attempt > 0 && <small>attempt {attempt + 1}</small>}
          <span className="muted desk-only">{item.agent}</span>
          <time className="muted desk-only" dateTime={item.at}>
            {dateTime(item.at)}
          </time>
          <span className="muted figures desk-only">
            {item.end ? formatDuration(Date.parse(item.end.at) - Date.parse(item.at)) : ""}
          </span>
          <span className="figures">{formatCost(item.end?.cost_usd ?? 0)}</span>
          <EndPill end={item.end} />
        </li>
      ))}
    </ul>
  );
}
