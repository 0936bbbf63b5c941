import { useState } from "react";
import type { TaskItem } from "../../../src/contract/api/values.ts";
import { formatCost } from "../../../src/contract/words/figures.ts";
import { taskKey } from "../api/tasks.ts";
import { cut, oneLine } from "../base/safe-text.ts";
import { ago } from "../base/times.ts";
import { useNow } from "../base/use-now.ts";
import { Link } from "../router.tsx";
import { Button } from "../ui/button.tsx";
import { StatePill } from "../ui/pill.tsx";
import { DiffStat, taskAddress } from "./card.tsx";

const SHOWN = 100;

/** Many tasks on little space, latest change first. */
export function BoardList({ tasks }: { tasks: readonly TaskItem[] }) {
  const now = useNow(30_000);
  const [shown, setShown] = useState(SHOWN);
  const ordered = tasks.toSorted((a, b) => b.since.localeCompare(a.since));
  return (
    <div className="panel scroll-x">
      <table className="table board-table">
        <thead>
          <tr>
            <th>State</th>
            <th>Task</th>
            <th>Project</th>
            <th>Agent</th>
            <th>Branch</th>
            <th>Changes</th>
            <th className="number">Cost</th>
            <th>Changed</th>
          </tr>
        </thead>
        <tbody>
          {ordered.slice(0, shown).map((task) => (
            <tr key={taskKey(task)} data-task={taskKey(task)}>
              <td>
                <StatePill state={task.state} />
              </td>
              <td className="board-table-title">
                <Link to={taskAddress(task)}>{cut(oneLine(task.title), 120)}</Link>
              </td>
              <td>{task.project}</td>
              <td>{task.agent}</td>
              <td>{cut(task.branch ?? "", 32)}</td>
              <td>
                <DiffStat text={task.diff_stat} />
              </td>
              <td className="number">{formatCost(task.cost_usd ?? 0)}</td>
              <td className="one-line">{ago(task.since, now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {ordered.length > shown && (
        <Button kind="quiet" onClick={() => setShown(shown + SHOWN)}>
          Show {Math.min(SHOWN, ordered.length - shown)} more
        </Button>
      )}
    </div>
  );
}
