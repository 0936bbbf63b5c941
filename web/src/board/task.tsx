import { formatCost } from "../../../src/contract/words/figures.ts";
import { useApi } from "../api/query.ts";
import { cut, oneLine, printable } from "../base/safe-text.ts";
import { dateTime } from "../base/times.ts";
import { address, Link } from "../router.tsx";
import { actionsFor } from "../tasks/columns.ts";
import { actionNames, doAction } from "../tasks/do-action.ts";
import { Button } from "../ui/button.tsx";
import { Loaded, Screen } from "../ui/parts.tsx";
import { EndPill, StatePill } from "../ui/pill.tsx";

/** A task as it was written down, with what became of it: its attempts. */
export function TaskScreen({ project, task }: { project: string; task: string }) {
  const answer = useApi("GET /tasks/{project}/{task}", { params: { project, task } });
  const item = answer.data?.task;
  const actions = item && (
    <>
      <StatePill state={item.state} />
      {actionsFor(item).map((action) => (
        <Button
          key={action}
          kind={action === "start" ? "main" : "plain"}
          icon={actionNames[action].icon}
          onClick={() => void doAction(item, action).then(answer.reload)}
        >
          {actionNames[action].name}
        </Button>
      ))}
    </>
  );
  return (
    <Screen title={item ? cut(oneLine(item.title), 120) : task} actions={actions}>
      <Loaded answer={answer}>
        {({ task: found, prompt, workspace, runs }) => (
          <div className="task-page">
            <p className="muted">
              <Link to={`/?project=${encodeURIComponent(project)}`}>{project}</Link> · {task} · {workspace} ·{" "}
              <Link to={address("bus", project, task)}>its bus</Link>
            </p>
            {found.blocked_by.length > 0 && (
              <p className="notice">
                Waits for {found.blocked_by.map((name) => cut(name, 80)).join(", ")}; it starts when they are done.
              </p>
            )}
            <section className="panel">
              <h2>What is to be done</h2>
              <div className="panel-body pre-wrap">{printable(prompt === "" ? found.title : prompt)}</div>
            </section>
            <section className="panel">
              <h2>Attempts</h2>
              {runs.length === 0 ? (
                <div className="panel-body muted">None yet. Start it, or put it into the queue.</div>
              ) : (
                <div className="scroll-x">
                  <table className="table">
                    <tbody>
                      {runs.map((run) => (
                        <tr key={run.run_id}>
                          <td>
                            <Link to={address("runs", run.run_id)}>{dateTime(run.at)}</Link>
                          </td>
                          <td>{run.agent}</td>
                          <td>
                            <EndPill end={run.end} />
                          </td>
                          <td className="number">{formatCost(run.end?.cost_usd ?? 0)}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              )}
            </section>
          </div>
        )}
      </Loaded>
    </Screen>
  );
}
