import { useCallback, useMemo, useState } from "react";
import type { TaskItem } from "../../../src/contract/api/values.ts";
import { plural } from "../../../src/contract/words/figures.ts";
import { loadTasks, taskKey, tasks } from "../api/tasks.ts";
import { useStore } from "../base/store.ts";
import { useNow } from "../base/use-now.ts";
import { go, usePlace, withQuery } from "../router.tsx";
import { type Column, columnOf, columns, dropAction, fits, inOrder } from "../tasks/columns.ts";
import { doAction } from "../tasks/do-action.ts";
import { newTask } from "../tasks/new-task-state.ts";
import { Button } from "../ui/button.tsx";
import { Empty, Failed, Screen, Segments, Skeleton } from "../ui/parts.tsx";
import { useBoardKeys } from "./board-keys.ts";
import { BoardList } from "./board-list.tsx";
import { Card } from "./card.tsx";
import { FirstSteps } from "./first-steps.tsx";
import "../style/board.css";

/** Who works, who waits for me, what is done: at a glance. */
export function Board() {
  const place = usePlace();
  const { items, state, problem } = useStore(tasks);
  const filter = {
    project: place.query.get("project") ?? "",
    agent: place.query.get("agent") ?? "",
    text: place.query.get("q") ?? "",
  };
  const view = place.query.get("view") === "list" ? "list" : "board";
  const all = useMemo(() => [...items.values()], [items]);
  const shown = useMemo(
    () => all.filter((task) => fits(task, filter)),
    [all, filter.project, filter.agent, filter.text],
  );
  const projects = [...new Set(all.map(({ project }) => project))].sort();
  const agents = [...new Set(all.map(({ agent }) => agent))].filter((name) => name !== "").sort();
  const choose = (values: Record<string, string>) => go(withQuery(place, values), { replace: true });
  useBoardKeys(items);

  const actions = (
    <>
      <input
        type="search"
        className="board-search"
        aria-label="Filter tasks"
        placeholder="Filter  /"
        value={filter.text}
        onChange={(event) => choose({ q: event.target.value })}
      />
      <Choice
        label="Project"
        all="All projects"
        value={filter.project}
        options={projects}
        onChange={(project) => choose({ project })}
      />
      <Choice
        label="Agent"
        all="All agents"
        value={filter.agent}
        options={agents}
        onChange={(agent) => choose({ agent })}
      />
      <Segments
        label="View"
        value={view}
        options={[
          { value: "board", label: "Board" },
          { value: "list", label: "List" },
        ]}
        onChange={(next) => choose({ view: next === "list" ? "list" : "" })}
      />
      <Button kind="main" icon="plus" shortcut="n" onClick={() => newTask.set({})}>
        New task
      </Button>
    </>
  );
  return (
    <Screen title="Board" actions={actions}>
      {state === "failed" && <Failed error={new Error(problem)} onRetry={() => void loadTasks()} />}
      {state === "loading" ? (
        <Skeleton lines={6} />
      ) : all.length === 0 && state === "ready" ? (
        <FirstSteps />
      ) : shown.length === 0 && all.length > 0 ? (
        <Empty icon="search" title="No task fits the filter">
          <Button onClick={() => choose({ q: "", project: "", agent: "" })}>
            Show all {plural(all.length, "task")}
          </Button>
        </Empty>
      ) : view === "list" ? (
        <BoardList tasks={shown} />
      ) : (
        <Columns tasks={shown} showProject={projects.length > 1 && filter.project === ""} />
      )}
    </Screen>
  );
}

function Choice({
  label,
  all,
  value,
  options,
  onChange,
}: {
  label: string;
  all: string;
  value: string;
  options: readonly string[];
  onChange: (value: string) => void;
}) {
  if (options.length < 2 && value === "") return null;
  return (
    <select
      className="board-choice"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}

function Columns({ tasks: shown, showProject }: { tasks: readonly TaskItem[]; showProject: boolean }) {
  const byColumn = useMemo(() => Map.groupBy(shown, columnOf), [shown]);
  const now = useNow(1000);
  return (
    <div className="board">
      {columns.map((column) => (
        <ColumnView
          key={column.id}
          {...column}
          tasks={byColumn.get(column.id) ?? []}
          now={column.id === "working" || column.id === "waiting" ? now : 0}
          showProject={showProject}
        />
      ))}
    </div>
  );
}

/** More than a screen or two nobody reads in a column. */
const SHOWN = 40;

function ColumnView({
  id,
  name,
  teaches,
  tasks: inColumn,
  now,
  showProject,
}: {
  id: Column;
  name: string;
  teaches: string;
  tasks: readonly TaskItem[];
  now: number;
  showProject: boolean;
}) {
  const [over, setOver] = useState(false);
  const [shown, setShown] = useState(SHOWN);
  const ordered = useMemo(() => inOrder(id, inColumn), [id, inColumn]);
  const drop = useCallback(
    (key: string) => {
      const task = tasks.get().items.get(key);
      const action = task && dropAction(task, id);
      if (task !== undefined && action !== undefined) void doAction(task, action);
    },
    [id],
  );
  return (
    <section
      className={`column ${over ? "over" : ""}`}
      aria-label={`${name}, ${inColumn.length}`}
      data-column={id}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => event.currentTarget.contains(event.relatedTarget as Node | null) || setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        drop(event.dataTransfer.getData("text/plain"));
      }}
    >
      <h2 className="column-head">
        <span className={`dot ${id}`} />
        {name} <span className="muted">{inColumn.length}</span>
      </h2>
      <div className="column-cards">
        {ordered.slice(0, shown).map((task) => (
          <Card key={taskKey(task)} task={task} now={now} showProject={showProject} />
        ))}
        {ordered.length === 0 && <p className="column-empty">{teaches}</p>}
        {ordered.length > shown && (
          <Button kind="quiet" onClick={() => setShown(shown + SHOWN)}>
            Show {Math.min(SHOWN, ordered.length - shown)} more
          </Button>
        )}
      </div>
    </section>
  );
}
