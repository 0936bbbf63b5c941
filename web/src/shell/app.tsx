import { useEffect } from "react";
import { callForAttention } from "../api/attention.ts";
import { followInbox } from "../api/inbox.ts";
import { onConnect, startLive } from "../api/live.ts";
import { reloadStale } from "../api/query.ts";
import { followTasks } from "../api/tasks.ts";
import { who } from "../api/who.ts";
import { useStore } from "../base/store.ts";
import { Asking } from "../ui/ask.tsx";
import { Skeleton } from "../ui/parts.tsx";
import { Toasts } from "../ui/toast.tsx";
import { CommandBar } from "./command-bar.tsx";
import { Help } from "./help.tsx";
import { Nav } from "./nav.tsx";
import { NewTask } from "./new-task.tsx";
import { Offline } from "./offline.tsx";
import { Screens } from "./screens.tsx";
import { Stranger } from "./stranger.tsx";

export function App() {
  const { state } = useStore(who);
  if (state === "asking") return <Skeleton lines={5} />;
  return state === "known" ? <Shell /> : <Stranger />;
}

let following = false;

/** Once, however often the shell is drawn. */
function follow(): void {
  if (following) return;
  following = true;
  startLive();
  followTasks();
  followInbox();
  onConnect(reloadStale);
  callForAttention();
}

function Shell() {
  useEffect(follow, []);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Nav />
      <Offline />
      <Screens />
      <NewTask />
      <CommandBar />
      <Help />
      <Asking />
      <Toasts />
    </div>
  );
}
