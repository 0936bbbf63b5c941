import { useEffect } from "react";
import type { ClusterTask } from "../../../src/contract/api/cluster.ts";
import { taskPhases } from "../../../src/contract/resources/phases.ts";
import { formatCost } from "../../../src/contract/words/figures.ts";
import { useApi } from "../api/query.ts";
import { ago } from "../base/times.ts";
import { useNow } from "../base/use-now.ts";
import { address, go, Link, usePlace, withQuery } from "../router.tsx";
import { Empty, Loaded, Screen } from "../ui/parts.tsx";
import { ClusterPill } from "./cluster-pill.tsx";
import "../style/cluster.css";

const EVERY_MS = 3000;

/** Tasks in Kubernetes: phase, reason, and the way to each. */
export function ClusterScreen() {
  const place = usePlace();
  const phase = taskPhases.find((name) => name === place.query.get("phase"));
  const there = useApi("GET /cluster", {});
  const choose = (value: string) => go(withQuery(place, { phase: value }), { replace: true });
  const actions = (
    <select
      className="board-choice"
      aria-label="Phase"
      value={phase ?? ""}
      onChange={(event) => choose(event.target.value)}
    >
      <option value="">All phases</option>
      {taskPhases.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
  return (
    <Screen title="Cluster" actions={there.data?.available ? actions : undefined}>
      <Loaded answer={there}>
        {({ available, why, context, namespace }) =>
          available ? <Tasks phase={phase} place={`${context} · ${namespace}`} /> : <Unreachable why={why ?? ""} />
        }
      </Loaded>
    </Screen>
  );
}

function Unreachable({ why }: { why: string }) {
  return (
    <Empty icon="globe" title="No cluster">
      <p>{why.charAt(0).toUpperCase() + why.slice(1)}.</p>
      <p>With a kubeconfig for one, the same tasks run there as Jobs:</p>
      <code>cox k8s install && cox k8s run --type claude-code "fix the failing test"</code>
    </Empty>
  );
}

function Tasks({ phase, place }: { phase: ClusterTask["phase"] | undefined; place: string }) {
  const answer = useApi("GET /cluster/tasks", {
    query: { limit: 200, ...(phase === undefined || phase === "" ? {} : { phase }) },
  });
  const now = useNow(1000);
  const { reload } = answer;
  useEffect(() => {
    const timer = setInterval(reload, EVERY_MS);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <Loaded answer={answer}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="globe" title="No Tasks">
            <p>{place}</p>
          </Empty>
        ) : (
          <div className="cluster-tasks">
            <p className="muted">{place}</p>
            <div className="panel scroll-x">
              <table className="table">
                <thead>
                  <tr>
                    <th>Phase</th>
                    <th>Task</th>
                    <th>Agent</th>
                    <th>Reason</th>
                    <th>Branch</th>
                    <th className="number">Cost</th>
                    <th>Created</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((task) => (
                    <Row key={`${task.namespace}/${task.name}`} task={task} now={now} />
                  ))}
                </tbody>
              </table>
            </div>
          </div>
        )
      }
    </Loaded>
  );
}

function Row({ task, now }: { task: ClusterTask; now: number }) {
  const { namespace, name, phase, type, model, reason, message, branch, cost_usd, created } = task;
  return (
    <tr data-task={`${namespace}/${name}`}>
      <td>
        <ClusterPill phase={phase} />
      </td>
      <td>
        <Link to={address("cluster", namespace, name)}>{name}</Link>
      </td>
      <td>{model === undefined ? type : `${type} · ${model}`}</td>
      <td title={message}>{reason}</td>
      <td>{branch ?? ""}</td>
      <td className="number">{formatCost(cost_usd ?? 0)}</td>
      <td className="one-line">{ago(created, now)}</td>
    </tr>
  );
}
