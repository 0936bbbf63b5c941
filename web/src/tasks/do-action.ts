import type { TaskItem } from "../../../src/contract/api/values.ts";
import { server } from "../api/client.ts";
import { refreshTask, taskKey } from "../api/tasks.ts";
import { ask } from "../ui/ask.tsx";
import type { IconName } from "../ui/icon.tsx";
import { attempt } from "../ui/toast.tsx";
import type { TaskAction } from "./columns.ts";

export const actionNames: Readonly<Record<TaskAction, { name: string; key: string; icon: IconName }>> = {
  start: { name: "Start", key: "s", icon: "play" },
  resume: { name: "Go on", key: "s", icon: "play" },
  enqueue: { name: "Queue", key: "e", icon: "clock" },
  stop: { name: "Stop", key: "x", icon: "stop" },
  "send-back": { name: "Send back", key: "b", icon: "back" },
  done: { name: "Done", key: "f", icon: "check" },
  cancel: { name: "Cancel for good", key: "D", icon: "cross" },
};

/** Does it, after asking where words are needed or nothing brings it back. */
export async function doAction(task: Pick<TaskItem, "project" | "task" | "title">, action: TaskAction): Promise<void> {
  await attempt(call(task, action));
  await refreshTask(taskKey(task));
}

async function call({ project, task, title }: Pick<TaskItem, "project" | "task" | "title">, action: TaskAction) {
  const params = { project, task };
  switch (action) {
    case "start":
      return server.call("POST /tasks/{project}/{task}/start", { params });
    case "resume":
      return server.call("POST /tasks/{project}/{task}/resume", { params });
    case "enqueue":
      return server.call("POST /tasks/{project}/{task}/enqueue", { params });
    case "stop":
      return server.call("POST /tasks/{project}/{task}/stop", { params });
    case "done":
      return server.call("POST /tasks/{project}/{task}/done", { params });
    case "send-back": {
      const text = await ask({
        title: "Send back",
        text: title,
        yes: "Send back",
        input: { label: "What is to be changed?", placeholder: "The agent goes on with this.", required: true },
      });
      return text === undefined
        ? undefined
        : server.call("POST /tasks/{project}/{task}/send-back", { params, body: { text } });
    }
    case "cancel": {
      const reason = await ask({
        title: "Cancel this task for good?",
        text: `${title}\n\nIt can't be started again. Its runs stay readable.`,
        yes: "Cancel the task",
        danger: true,
        input: { label: "Why (optional)" },
      });
      return reason === undefined
        ? undefined
        : server.call("POST /tasks/{project}/{task}/cancel", { params, body: { reason } });
    }
  }
}
