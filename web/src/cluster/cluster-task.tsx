import { useEffect, useState } from "react";
import type { ClusterTaskDetail } from "../../../src/contract/api/cluster.ts";
import type { RecordedEvent } from "../../../src/contract/events.ts";
import { isFinalPhase } from "../../../src/contract/resources/phases.ts";
import { followEvents } from "../../../src/lib/client/event-stream.ts";
import { problemText, server } from "../api/client.ts";
import { useApi } from "../api/query.ts";
import { Link } from "../router.tsx";
import { flatten } from "../transcript/flat.ts";
import { RowView } from "../transcript/row-view.tsx";
import { type Folded, fold, nothingFolded } from "../transcript/rows.ts";
import { ask } from "../ui/ask.tsx";
import { Button } from "../ui/button.tsx";
import { Failed, Loaded, Screen } from "../ui/parts.tsx";
import { say } from "../ui/toast.tsx";
import { ClusterPill } from "./cluster-pill.tsx";
import "../style/cluster.css";
import "../style/session.css";
import "../style/text.css";

interface Ref {
  namespace: string;
  name: string;
}

const EVERY_MS = 3000;

/** One Task in the cluster: why it is where it is, and what its agent says. */
export function ClusterTaskScreen({ namespace, name }: Ref) {
  const params = { namespace, name };
  const answer = useApi("GET /cluster/tasks/{namespace}/{name}", { params });
  const { reload, data } = answer;
  const over = data !== undefined && isFinalPhase(data.phase || undefined);
  useEffect(() => {
    if (over) return;
    const timer = setInterval(reload, EVERY_MS);
    return () => clearInterval(timer);
  }, [reload, over]);
  const cancel = async () => {
    const text = "Its agent gets its grace, and what it had is kept. A cancelled Task does not come back.";
    if ((await ask({ title: `Cancel ${name}?`, text, yes: "Cancel the Task", danger: true })) === undefined) return;
    try {
      await server.call("POST /cluster/tasks/{namespace}/{name}/cancel", { params });
      reload();
    } catch (error) {
      say(problemText(error), true);
    }
  };
  const actions = data !== undefined && (
    <>
      <ClusterPill phase={data.phase} />
      {!over && (
        <Button kind="danger" icon="stop" onClick={() => void cancel()}>
          Cancel
        </Button>
      )}
      <Link to="/cluster">All Tasks</Link>
    </>
  );
  return (
    <Screen title={name} actions={actions}>
      <Loaded answer={answer}>
        {(task) => (
          <div className="cluster-task">
            <Facts task={task} />
            <Talk key={`${namespace}/${name}`} namespace={namespace} name={name} />
          </div>
        )}
      </Loaded>
    </Screen>
  );
}

function Facts({ task }: { task: ClusterTaskDetail }) {
  const rows: [string, string | undefined][] = [
    ["Agent", task.model === undefined ? task.type : `${task.type} · ${task.model}`],
    ["Reason", [task.reason, task.message].filter((part) => part !== "").join(": ")],
    ["Waits for", task.depends_on.join(", ")],
    ["Branch", task.branch],
    ["Workspace", task.workspace],
    ["Attempts", task.attempts > 1 ? String(task.attempts) : undefined],
    ["Job", task.job],
    ["Pod", task.pod],
    ...Object.entries(task.results),
  ];
  const said = new Set(["", task.message]);
  const troubles = task.conditions.filter(({ status, message }) => status !== "True" && !said.has(message));
  return (
    <section className="panel" aria-label="Facts">
      <dl className="facts">
        {rows.map(([label, text]) =>
          text ? (
            <div key={label}>
              <dt className="muted">{label}</dt>
              <dd>{text}</dd>
            </div>
          ) : null,
        )}
      </dl>
      {troubles.map(({ type, message }) => (
        <p key={type} className="notice warn">
          {type}: {message}
        </p>
      ))}
    </section>
  );
}

/** What is read is the end; `cox k8s logs` has all of it. */
const SHOWN_ROWS = 200;

function Talk({ namespace, name }: Ref) {
  const [folded] = useState<Folded>(nothingFolded);
  const [version, draw] = useState(0);
  const [problem, setProblem] = useState<unknown>();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const ending = new AbortController();
    const follow = async () => {
      const given = { params: { namespace, name } };
      const key = "GET /cluster/tasks/{namespace}/{name}/stream";
      for await (const batch of followEvents(server, key, given, { signal: ending.signal })) {
        for (const { event, data } of batch) if (event === "message") fold(folded, JSON.parse(data) as RecordedEvent);
        draw((count) => count + 1);
      }
    };
    follow().catch(setProblem);
    return () => ending.abort();
  }, [namespace, name, folded]);
  const toggle = (key: string) =>
    setOpened((now) => (now.has(key) ? new Set([...now].filter((each) => each !== key)) : new Set(now).add(key)));
  const rows = flatten(folded.rows, opened).slice(-SHOWN_ROWS);
  return (
    <section className="transcript-plain" role="log" aria-label="What the agent says" data-version={version}>
      {problem !== undefined && <Failed error={problem} />}
      {rows.length === 0 && problem === undefined && <p className="muted">Its agent has said nothing yet.</p>}
      {rows.map((flat) => (
        <RowView key={flat.key} run="" flat={flat} opened={opened} toggle={toggle} streaming={false} />
      ))}
    </section>
  );
}
