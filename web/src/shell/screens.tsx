import { Suspense } from "react";
import { Board } from "../board/board.tsx";
import { Link, matchPath, usePlace } from "../router.tsx";
import { Guard } from "../ui/guard.tsx";
import { lazyScreen } from "../ui/lazy-screen.ts";
import { Empty, Screen, Skeleton } from "../ui/parts.tsx";

/** The board comes with the page; the rest when somebody goes there. */
const Inbox = lazyScreen(async () => (await import("../inbox/inbox.tsx")).InboxScreen);
const Session = lazyScreen(async () => (await import("../session/session.tsx")).SessionScreen);
const Task = lazyScreen(async () => (await import("../board/task.tsx")).TaskScreen);
const Agents = lazyScreen(async () => (await import("../agents/agents.tsx")).AgentsScreen);
const Bus = lazyScreen(async () => (await import("../bus/bus.tsx")).BusScreen);
const Tree = lazyScreen(async () => (await import("../tree/tree.tsx")).TreeScreen);
const Cost = lazyScreen(async () => (await import("../cost/cost.tsx")).CostScreen);
const Settings = lazyScreen(async () => (await import("../settings/settings.tsx")).SettingsScreen);
const Terminals = lazyScreen(async () => (await import("../terminals/terminals.tsx")).TerminalsScreen);
const Terminal = lazyScreen(async () => (await import("../terminals/terminal.tsx")).TerminalScreen);
const Cluster = lazyScreen(async () => (await import("../cluster/cluster.tsx")).ClusterScreen);
const ClusterTask = lazyScreen(async () => (await import("../cluster/cluster-task.tsx")).ClusterTaskScreen);

export function Screens() {
  const { path } = usePlace();
  return (
    <Suspense fallback={<Waiting />}>
      <Guard key={path.split("/", 3).join("/")}>
        <Chosen />
      </Guard>
    </Suspense>
  );
}

function Chosen() {
  const { path } = usePlace();
  const at = (pattern: string) => matchPath(pattern, path);
  if (path === "/") return <Board />;
  if (at("/inbox")) return <Inbox />;
  const session = at("/runs/:run") ?? at("/runs/:run/:view");
  if (session?.run !== undefined) return <Session key={session.run} run={session.run} view={session.view ?? "talk"} />;
  const task = at("/tasks/:project/:task");
  if (task?.project !== undefined && task.task !== undefined) return <Task project={task.project} task={task.task} />;
  if (at("/agents")) return <Agents />;
  const bus = at("/bus") ?? at("/bus/:project") ?? at("/bus/:project/:task");
  if (bus) return <Bus project={bus.project ?? ""} task={bus.task ?? ""} />;
  const tree = at("/tree") ?? at("/tree/:project");
  if (tree) return <Tree project={tree.project ?? ""} />;
  if (at("/terminals")) return <Terminals />;
  const terminal = at("/terminals/:id");
  if (terminal?.id !== undefined) return <Terminal key={terminal.id} id={terminal.id} />;
  if (at("/cluster")) return <Cluster />;
  const inCluster = at("/cluster/:namespace/:name");
  if (inCluster?.namespace !== undefined && inCluster.name !== undefined) {
    return <ClusterTask namespace={inCluster.namespace} name={inCluster.name} />;
  }
  if (at("/cost")) return <Cost />;
  const settings = at("/settings") ?? at("/settings/:part");
  if (settings) return <Settings part={settings.part ?? "rules"} />;
  return (
    <Screen title="Nothing here">
      <Empty icon="search" title="There is no such page">
        <Link to="/">Go to the board</Link>
      </Empty>
    </Screen>
  );
}

function Waiting() {
  return (
    <main className="screen">
      <Skeleton lines={6} />
    </main>
  );
}
