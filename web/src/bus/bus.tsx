import { useEffect, useMemo, useRef, useState } from "react";
import type { BusMessage } from "../../../src/contract/bus.ts";
import { problemText, server } from "../api/client.ts";
import { onConnect, onNews } from "../api/live.ts";
import { useApi } from "../api/query.ts";
import { tasks } from "../api/tasks.ts";
import { cut, oneLine, printable } from "../base/safe-text.ts";
import { useStore } from "../base/store.ts";
import { clockTime, dateTime } from "../base/times.ts";
import { address, go, Link } from "../router.tsx";
import { Button } from "../ui/button.tsx";
import { Empty, Failed, Screen, Skeleton } from "../ui/parts.tsx";
import { attempt } from "../ui/toast.tsx";
import "../style/agents.css";

/** What agents and people told each other, of one project or task, as it comes. */
export function BusScreen({ project, task }: { project: string; task: string }) {
  const projects = useApi("GET /projects", {});
  const first = projects.data?.items[0]?.project ?? "";
  const shown = project || first;
  const names = useStore(tasks, ({ items }) =>
    [...items.values()].filter((item) => item.project === shown).map((item) => item.task),
  );
  const actions = (
    <>
      <select
        aria-label="Project"
        className="board-choice"
        value={shown}
        onChange={(event) => go(address("bus", event.target.value))}
      >
        {projects.data?.items.map((item) => (
          <option key={item.project}>{item.project}</option>
        ))}
      </select>
      <select
        aria-label="Task"
        className="board-choice"
        value={task}
        onChange={(event) =>
          go(event.target.value === "" ? address("bus", shown) : address("bus", shown, event.target.value))
        }
      >
        <option value="">The project itself</option>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </>
  );
  return (
    <Screen title={task === "" ? "Bus" : `Bus of ${cut(task, 60)}`} actions={shown === "" ? null : actions}>
      {shown === "" ? (
        projects.loading ? (
          <Skeleton />
        ) : (
          <Empty icon="bus" title="No project yet">
            A project gets a bus with its first task. Agents post facts and questions there; so can you.
          </Empty>
        )
      ) : (
        <Messages key={`${shown}/${task}`} project={shown} task={task} />
      )}
    </Screen>
  );
}

const LIFECYCLE = new Set(["RUN_START", "RUN_STOP", "RUN_CRASH", "TASK_STATE"]);

function Messages({ project, task }: { project: string; task: string }) {
  const { messages, error, state } = useMessages(project, task);
  const [all, setAll] = useState(task !== "");
  const shown = useMemo(() => messages.filter(({ type }) => all || !LIFECYCLE.has(type)).slice(-500), [messages, all]);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    end.current?.scrollIntoView({ block: "end" });
  }, [shown.length]);
  if (error !== undefined) return <Failed error={error} />;
  if (state === "loading") return <Skeleton lines={6} />;
  return (
    <>
      <label className="check bus-all">
        <input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} />
        <span>Show starts, ends and moves of tasks too</span>
      </label>
      {shown.length === 0 ? (
        <Empty icon="bus" title="Nothing was said">
          Agents post here with their tools, people below.
        </Empty>
      ) : (
        <div className="panel bus-list" role="log" aria-label="Messages">
          {shown.map((message) => (
            <Message key={message.id + message.cursor} message={message} />
          ))}
          <div ref={end} />
        </div>
      )}
      <Post project={project} task={task} />
    </>
  );
}

function Message({ message }: { message: BusMessage }) {
  const { time, type, body, run, task, project } = message;
  return (
    <div className="bus-message">
      <time dateTime={time} title={dateTime(time)}>
        {clockTime(time)}
      </time>
      <span className={`bus-type ${type}`}>{type}</span>
      <div className="bus-body">
        {cut(printable(typeof body === "string" ? body : `${body.head}…`), 4000)}{" "}
        {run !== "" ? (
          <Link to={address("runs", run)}>run</Link>
        ) : (
          task !== "" && <Link to={address("tasks", project, task)}>{cut(oneLine(task), 60)}</Link>
        )}
      </div>
    </div>
  );
}

/** The latest, and then whatever news bring. */
function useMessages(project: string, task: string) {
  const [messages, setMessages] = useState<readonly BusMessage[]>([]);
  const [state, setState] = useState<"loading" | "ready">("loading");
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const query = { limit: 300 };
    const load = () =>
      (task === ""
        ? server.call("GET /bus/{project}", { params: { project }, query })
        : server.call("GET /bus/{project}/{task}", { params: { project, task }, query })
      )
        .then((page) => {
          setMessages(page.messages);
          setState("ready");
        })
        .catch((problem: unknown) => setError(new Error(problemText(problem))));
    void load();
    const offs = [
      onConnect(() => void load()),
      onNews((news) => {
        const mine = news.flatMap((each) =>
          each.about === "bus" && each.message.project === project && each.message.task === task ? [each.message] : [],
        );
        if (mine.length > 0)
          setMessages((now) => [...now, ...mine.filter(({ id }) => !now.some((known) => known.id === id))]);
      }),
    ];
    return () => offs.forEach((off) => off());
  }, [project, task]);
  return { messages, state, error };
}

function Post({ project, task }: { project: string; task: string }) {
  const [text, setText] = useState("");
  const post = async () => {
    const body = { body: text.trim() };
    if (body.body === "") return;
    const posting =
      task === ""
        ? server.call("POST /bus/{project}", { params: { project }, body })
        : server.call("POST /bus/{project}/{task}", { params: { project, task }, body });
    if (await attempt(posting)) setText("");
  };
  return (
    <form
      className="inline-form bus-post"
      onSubmit={(event) => {
        event.preventDefault();
        void post();
      }}
    >
      <input
        aria-label="Message"
        placeholder="Tell everybody on this bus…"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button kind="main" type="submit" icon="send" disabled={text.trim() === ""}>
        Post
      </Button>
    </form>
  );
}
